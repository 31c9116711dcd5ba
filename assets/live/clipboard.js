// A text to the clipboard, and the button that was pressed says for a while how that went.

const SAID_MS = 2500

/** Copy a text; where that is not allowed, `show` lets the person copy it. */
export async function copied(text, button, { label, done, left }, show) {
  try {
    await navigator.clipboard.writeText(text)
    button.textContent = done
  } catch { // no permission, or a page served without https
    show()
    button.textContent = left
  }
  setTimeout(() => { button.textContent = label }, SAID_MS)
}
