// The projected window of a lecture: goes where the presenter says, and says where it is.
//
// A page that takes a step by itself (the next panel, the reveal of an exercise) calls preventDefault on
// the key that asks for it. A key that nobody takes leads to the next item; so does the event
// "lab-lecture-next" on the window ("lab-lecture-back" leads back), for buttons.

import { turn } from "./keys.js"
import { CHANNEL, PROJECTED, address, program, remember } from "./program.js"

const AT = "attention-lab-at" // in this window's own storage
let channel = null

export default function mount() {
  if (channel || window.name !== PROJECTED || !program()) return
  channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = ({ data }) => {
    if (data.ask) tell()
    if (data.go !== undefined) go(data.go)
    if (data.step) step(data.step, data.asked)
  }
  window.addEventListener("lab-lecture-next", () => move(1))
  window.addEventListener("lab-lecture-back", () => move(-1))
  window.addEventListener("keydown", (event) => {
    const by = turn(event)
    if (by) setTimeout(() => { if (!event.defaultPrevented) move(by) }) // after all others have seen it
  })
  window.addEventListener("pageshow", ({ persisted }) => { if (persisted) follow() })
  follow()
}

/** What was said while this window was loading is made good. */
function follow() {
  const { at } = program()
  if (here() === at) tell()
  else go(at)
}

/** As a clicker would: the page takes the step, or the next item comes. */
function step(by, asked) {
  const key = new KeyboardEvent("keydown", { key: by > 0 ? "PageDown" : "PageUp", bubbles: true, cancelable: true })
  const untaken = document.body.dispatchEvent(key) // the listener above moves on
  tell({ asked, within: !untaken })
}

function move(by) {
  const to = program().at + by
  if (to in program().links) go(to)
  else tell({ end: true })
}

function go(to) {
  const { links } = program()
  if (!(to in links)) return
  remember(links, to)
  sessionStorage.setItem(AT, to)
  tell()
  location.assign(address(links[to]))
}

const here = () => Number(sessionStorage.getItem(AT) ?? NaN)

const tell = (more) => channel.postMessage({ at: program().at, ...more })
