// The projected window of a lecture: goes where the presenter says, and says where it is.
//
// A page that takes a step by itself (the next step of a picture, the next panel, the reveal of an exercise)
// calls preventDefault on the key that asks for it, and keeps "data-lab-steps" ("on", "back", both or "")
// on an element that is shown, so that the buttons at the edges know whether they lead anywhere. A key that
// nobody takes leads to the next item.

import { blank, step, turn } from "./keys.js"
import { BLANKED, CHANGED, isBlank, panel } from "./stage.js"
import { CHANNEL, PROJECTED, address, channel, onStage, panels, program, remember } from "./program.js"

const AT = "attention-lab-at" // in this window's own storage: which item it shows,
const LEFT = "attention-lab-left" // and how it has left the others
const MOST = 999 // panels: beyond the last is the last
let windows = null // the channel to the others
let told // the title of the panel that was last spoken of
let shown = null // the links of the lecture whose item stands here
let goes = false // to another item, whose page is about to be loaded

export default function mount() {
  if (windows || !projects()) return
  windows = channel(CHANNEL, (data) => {
    if (data.ask) tell()
    if (data.go !== undefined) go(data.go)
    if (data.here !== undefined) { // the order was changed, and this is where the item stands now
      keep(AT, data.here)
      shown = JSON.stringify(program().links)
      document.dispatchEvent(new Event(CHANGED))
    }
    if (data.blank) blank()
    if (data.step) panel() ? step(data.step) : move(data.step) // where nobody takes it, the listener below moves on
  })
  window.addEventListener("keydown", (event) => {
    const by = turn(event)
    if (!by || !panel()) return // without a panel a page is read as always
    setTimeout(() => { if (!event.defaultPrevented) move(by) }) // after all others have seen it
  })
  document.addEventListener(CHANGED, () => { if (panel()?.title !== told) tell() })
  document.addEventListener(BLANKED, tell)
  window.addEventListener("pagehide", () => { // nobody hears until the next page
    windows.postMessage({ left: true, was: goes ? null : { at: here(), link: spot() } })
  })
  window.addEventListener("pageshow", ({ persisted }) => {
    goes = false
    if (persisted) follow()
  })
  follow()
}

export const projects = () => window.name === PROJECTED && program()

/** Whether the lecture goes on before or behind the item that is shown here. */
export const leads = (by) => Boolean(projects()) && program().at + by in program().links

/** The first and the last panel of the item that is shown here. */
export function span() {
  const item = projects() && new URL(address(program().links[program().at]))
  return item && item.pathname === location.pathname ? panels(item) : [1, Infinity]
}

/** What was said while this window was loading is made good. */
function follow() {
  const { links, at, opening } = program()
  if (opening !== undefined) { // a link to that item has just been followed to this window
    keep(AT, opening)
    remember(links, at)
  }
  if (here() !== at) return go(at)
  shown = JSON.stringify(links)
  tell()
}

function move(by) {
  const to = program().at + by
  if (to in program().links) go(to, by < 0)
}

/** Show an item from its start, or from its end where it is stepped back into. */
function go(to, back = false) {
  const { links } = program()
  if (!(to in links)) return
  const known = left(links)
  if (shown === known.of && !goes) known.at[here()] = spot()
  keep(LEFT, JSON.stringify(known))
  remember(links, to)
  keep(AT, to)
  tell()
  goes = true
  location.assign(back ? end(links[to], known.at[to]) : onStage(links[to]))
}

/** The last panel of an item, in the state in which it was left. An exercise that nobody has seen to its end is
 * not told from its end. */
function end(link, was) {
  const item = new URL(onStage(link))
  const found = new URL(was ?? item)
  if (!item.pathname.endsWith("/exercises")) found.searchParams.set("lecture", Math.min(panels(item)[1], MOST))
  return found.href
}

/** The address of what is shown: of this very panel, though the page writes it into its link a moment later. */
function spot() {
  const found = new URL(location)
  if (panel()) found.searchParams.set("lecture", panel().number)
  return found.href
}

function left(links) {
  const of = JSON.stringify(links)
  try {
    const known = JSON.parse(sessionStorage.getItem(LEFT))
    if (known.of === of) return known
  } catch { /* as if there were none */ }
  return { of, at: {} }
}

function keep(name, value) {
  try {
    sessionStorage.setItem(name, value)
  } catch { /* no storage here: a window that loads anew shows what it shows */ }
}

function here() {
  try {
    return Number(sessionStorage.getItem(AT) ?? NaN)
  } catch {
    return program().at
  }
}

function tell() {
  told = panel()?.title
  windows.postMessage({ at: program().at, panel: told, blank: isBlank() })
}
