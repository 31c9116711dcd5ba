// Many buttons, one stop for Tab: in an element with `data-roving` the arrow keys go to the next one.

const STEPS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }
const ASIDE = 4 // how much a pixel to the side counts, against one straight on

export function roving(slot) {
  slot.addEventListener("keydown", (event) => {
    const from = event.target.closest("[data-roving] button")
    if (!from || event.ctrlKey || event.altKey || event.metaKey) return
    const buttons = [...from.closest("[data-roving]").querySelectorAll("button")]
    const to = { Home: buttons[0], End: buttons.at(-1) }[event.key] ?? neighbour(from, buttons, STEPS[event.key])
    if (!to) return
    event.preventDefault()
    for (const button of buttons) button.tabIndex = button === to ? 0 : -1
    to.focus()
  })
}

/** The nearest button in a direction, as the eye sees it. */
function neighbour(from, buttons, step) {
  if (!step) return null
  const [right, down] = step
  const start = middle(from)
  let best = null
  let least = Infinity
  for (const button of buttons) {
    const [x, y] = middle(button)
    const along = (x - start[0]) * right + (y - start[1]) * down
    const aside = Math.abs((x - start[0]) * down) + Math.abs((y - start[1]) * right)
    const cost = along + ASIDE * aside
    if (along > 1 && cost < least) [best, least] = [button, cost]
  }
  return best
}

function middle(element) {
  const { left, width, top, height } = element.getBoundingClientRect()
  return [left + width / 2, top + height / 2]
}
