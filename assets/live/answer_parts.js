// What all kinds of answers share.

import { sheet } from "./style.js"

/** Return a new element. Its text is text: whatever it holds shows literally. */
export function element(tag, className = "", attributes = {}, text = "") {
  const made = document.createElement(tag)
  if (className) made.className = className
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  if (text) made.textContent = text
  return made
}

/** This key is dealt with here: neither the page nor a lecture takes it too. */
export function taken(event) {
  event.preventDefault()
  event.stopPropagation()
}

/** The number that a text is, as far as a bar can show it while it is typed; null if none. */
export function weight(text) {
  const [above, below, more] = text.trim().replace("\u2212", "-").replaceAll(",", ".").split("/")
  const plain = /^\s*\+?(\d+\.?\d*|\.\d+)\s*$/
  if (more !== undefined || !plain.test(above) || (below !== undefined && !plain.test(below))) return null
  const value = Number(above) / (below === undefined ? 1 : Number(below))
  return value >= 0 && value <= 1 ? value : null
}

let loaded

/** Our stylesheet, loaded once; nothing is drawn without it. */
export function styled() {
  return (loaded ??= new Promise((done) => {
    const link = sheet("answer.css")
    link.onload = done
    link.onerror = done // plain, but it works
  }))
}
