// What a lecture projects: whether there is one, and how large its type is.
// lecture.js fills this in; pictures and steppers ask.

export const CHANGED = "lab-stage" // dispatched on the document when another panel or another room is there
const TYPE_PX = 24 / 13 // how much larger the smallest type of a picture is, on a screen of 1280 by 720
const LEAST_PX = 150 // of a picture, at that size

export const BLANKED = "lab-blanked" // dispatched on the document when the screen becomes blank, or is not any more

let shown = null // the panel
let black = false

/** The panel that is projected; null where the page is read as always. */
export const panel = () => shown

export function project(next) {
  shown = next
  document.dispatchEvent(new Event(CHANGED))
}

/** Whether the whole screen is black for the moment. */
export const isBlank = () => black

export function blanked(now) {
  black = now
  document.dispatchEvent(new Event(BLANKED))
}

/** How much larger than a screen of 1280 by 720 this one is. */
export const screen = () => Math.min(innerWidth / 1280, innerHeight / 720)

/** How a picture is drawn on the stage: by how much larger, in which height, which of its matrices, and
 * whether its columns are numbered only. */
export function view(canvas, numbered = false) {
  if (!shown) return null
  const content = document.querySelector("[data-testid=stMainBlockContainer]")
  const { paddingBottom } = getComputedStyle(content)
  const box = canvas.getBoundingClientRect()
  const whole = shown.aside ? canvas.closest(".lab-plot") : content.firstElementChild
  const below = whole.getBoundingClientRect().bottom - box.bottom
  const room = innerHeight - parseFloat(paddingBottom) - box.top - Math.max(0, below)
  return { by: TYPE_PX * screen(), height: Math.floor(Math.max(LEAST_PX * screen(), room)), tile: shown.tile, numbered }
}
