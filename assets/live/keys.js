// Where a key of a clicker or of a keyboard leads in a lecture, and whether such keys are switched on.

const KEYS = { PageDown: 1, ArrowRight: 1, ArrowDown: 1, " ": 1, PageUp: -1, ArrowLeft: -1, ArrowUp: -1 }
const OFF = "attention-lab-lecture-keys-off" // in the browser's storage
const TYPED = "input:not([type=range], [type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable]," +
  " [role=combobox], [role=listbox], [role=grid], [role=menu], [role=spinbutton], [data-testid=stDataFrame]"
const DRAGGED = "[type=range], [role=slider]"
const ARROWED = "[type=radio], [role=application], [role=radiogroup], [role=tab], [role=tree], .lab-handle"
const PRESSED = "button, a[href], summary, input, [role=button], [role=switch], [role=checkbox], [role=option]"
let own = null // what this window has said last, where the browser could not keep it
const asked = new WeakSet() // keys that a button or the presenter's window asks for: they count when the keys are switched off, too

/** 1 is on, -1 back, 0 nowhere: no such key, or what has the focus uses it itself. */
export function turn(event) {
  const by = KEYS[event.key] ?? 0
  if (!by || !isFree(event) || !(keysAreOn() || asked.has(event))) return 0
  if (event.shiftKey && event.key !== " ") return 0
  const within = (selectors) => Boolean(event.target.closest?.(selectors))
  if (within(DRAGGED)) return 0
  if (event.key.startsWith("Arrow") && within(ARROWED)) return 0
  if (event.key === " " && within(PRESSED)) return 0
  return event.shiftKey ? -1 : by
}

/** Whether a key blanks the screen: `.` or B, as clickers send it. */
export const blanks = (event) =>
  (keysAreOn() || asked.has(event)) && isFree(event) && !event.repeat && [".", "b"].includes(event.key.toLowerCase())

/** Ask the page for a step on (1) or back (-1), exactly as a clicker does. True if somebody within it took it. */
export const step = (by) => ask(by > 0 ? "PageDown" : "PageUp")

/** Ask the page to blank the screen, or to show again what it showed. */
export const blank = () => ask("b")

function ask(name) {
  const key = new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true })
  asked.add(key)
  return !document.body.dispatchEvent(key)
}

/** Whether a key is nobody's: not typed into a field, no way through a list, no command of the browser. */
export function isFree(event) {
  return !event.ctrlKey && !event.altKey && !event.metaKey && !event.isComposing && !event.target.closest?.(TYPED)
}

export function keysAreOn() {
  try {
    return own ?? localStorage.getItem(OFF) === null
  } catch {
    return true
  }
}

export function switchKeys(on) {
  try {
    if (on) localStorage.removeItem(OFF)
    else localStorage.setItem(OFF, "1")
    own = null
  } catch { // this window alone knows
    own = on
  }
}
