// The presenter's window: Back and Next, the clock, and what the projected window says.

import { blanks, turn } from "./keys.js"
import { CHANNEL, PROJECTED, channel, onStage, program, remember } from "./program.js"
import { styled } from "./style.js"

const CLOCK = "attention-lab-clock" // in the browser's storage: { from, held }, in milliseconds
const ASK_MS = 3000

export default function mount(component) {
  styled()
  const host = component.parentElement
  const own = (host.labConductor ??= begin(host, component.data.heard))
  own.component = component
  own.data = component.data
  const { links, at, heard } = component.data
  const anew = own.session && own.session !== component.data.session
  own.session = component.data.session
  if (anew && own.serial) arrive(own, own.at) // a server that has started anew
  else if (heard >= own.serial && at !== own.at) { // chosen on the page, or the first call
    const known = program()
    const same = JSON.stringify(known?.links) === JSON.stringify(links)
    if (own.at === undefined && same && known.at !== at) arrive(own, known.at)
    else {
      own.at = at
      remember(links, at)
      if (own.started) own.channel.postMessage({ go: at })
    }
  }
  if (own.started) reordered(own, own.links, links)
  own.links = links
  own.started = true
  show(own)
  return () => end(host, own)
}

/** The order was changed during the lecture: what is projected stays, wherever it stands now. */
function reordered(own, before, links) {
  if (JSON.stringify(before) === JSON.stringify(links)) return
  own.was = null // counted by the order that was
  const found = links.indexOf(before[own.at])
  const to = found < 0 ? Math.min(own.at, links.length - 1) : found
  remember(links, to)
  own.channel.postMessage({ here: to })
  if (to !== own.at) arrive(own, to)
}

function begin(host, serial) {
  const root = document.createElement("section")
  root.className = "lab-conductor"
  root.setAttribute("aria-label", "Conduct the lecture")
  root.innerHTML = `
    <div class="lab-turn">
      <button type="button" class="lab-before">‹ Back</button>
      <button type="button" class="lab-after lab-primary">Next ›</button>
    </div>
    <div class="lab-clock"><b role="timer" aria-label="Elapsed">0:00</b><span class="lab-planned"></span>
      <button type="button" class="lab-run">Start the clock</button><button type="button" class="lab-zero">To zero</button></div>
    <p class="lab-projected"><span role="status"></span> <a class="lab-button" target="${PROJECTED}">Open it</a></p>`
  host.append(root)
  const find = (name) => root.querySelector(name)
  const own = { root, find, serial, silent: 0, alive: false, hears: false }
  own.channel = channel(CHANNEL, (data) => hear(own, data))
  own.press = (event) => {
    if (event.defaultPrevented) return
    const by = turn(event)
    if (by) step(own, by)
    else if (blanks(event)) own.channel.postMessage({ blank: true })
    else return
    event.preventDefault()
  }
  window.addEventListener("keydown", own.press)
  find(".lab-before").addEventListener("click", () => step(own, -1))
  find(".lab-after").addEventListener("click", () => step(own, 1))
  find(".lab-run").addEventListener("click", () => { keepClock(runs(clock()) ? held(clock()) : started(clock())); tick(own) })
  find(".lab-zero").addEventListener("click", () => { keepClock({ from: 0, held: 0 }); tick(own) })
  find("a").addEventListener("click", () => remember(own.data.links, own.at, true))
  own.ticking = setInterval(() => tick(own), 500)
  const ask = () => {
    if (own.silent++) own.alive = own.hears = false
    own.channel.postMessage({ ask: true })
    show(own)
  }
  own.asking = setInterval(ask, ASK_MS)
  ask()
  return own
}

function end(host, own) {
  window.removeEventListener("keydown", own.press)
  clearInterval(own.ticking)
  clearInterval(own.asking)
  own.channel.close()
  own.root.remove()
  delete host.labConductor
}

function hear(own, data) {
  if (data.left) { // it is closed, or loads its next page
    own.hears = false
    own.was = data.was
  }
  if (data.at === undefined || !own.data) return
  own.alive = own.hears = true
  own.silent = 0
  own.panel = data.panel
  own.blank = data.blank
  if (data.at !== own.at && data.at in own.data.links) arrive(own, data.at)
  show(own)
}

/** The projected window takes the step, however long it is busy; where none hears, the notes move on alone. */
function step(own, by) {
  if (own.hears) return own.channel.postMessage({ step: by })
  const to = own.at + by
  if (!(to in own.data.links)) return
  remember(own.data.links, to) // a window that is still loading goes there when it is ready
  own.channel.postMessage({ go: to })
  arrive(own, to)
}

/** Another item is there: the page's script brings its notes. */
function arrive(own, at) {
  own.at = at
  own.serial += 1
  own.component.setStateValue("at", { at, serial: own.serial })
  show(own)
}

function show(own) {
  if (!own.data) return
  const { links } = own.data
  own.find(".lab-before").disabled = !own.alive && own.at === 0
  own.find(".lab-after").disabled = !own.alive && own.at === links.length - 1
  const words = !own.alive ? "The projected window is not open." : own.blank ? "The screen is blank. B brings it back." : own.panel ? `On the screen: ${own.panel}` : "The projected window follows."
  const status = own.find("[role=status]")
  if (status.textContent !== words) status.textContent = words
  own.find("a").hidden = own.alive
  own.find("a").href = own.was?.at === own.at ? own.was.link : onStage(links[own.at] ?? "")
  tick(own)
}

// --- the clock ---

let ownClock = null // what this window has said last, where the browser could not keep it

function clock() {
  if (ownClock) return ownClock
  try {
    const found = JSON.parse(localStorage.getItem(CLOCK))
    if (Number.isFinite(found?.from) && Number.isFinite(found?.held)) return found
  } catch { /* as if there were none */ }
  return { from: 0, held: 0 }
}

function keepClock(value) {
  try {
    localStorage.setItem(CLOCK, JSON.stringify(value))
    ownClock = null
  } catch { // this window alone knows
    ownClock = value
  }
}

const runs = ({ from }) => from > 0
const elapsed = ({ from, held }) => held + (from > 0 ? Date.now() - from : 0)
const started = ({ held }) => ({ from: Date.now(), held })
const held = (value) => ({ from: 0, held: elapsed(value) })

function tick(own) {
  if (!own.data) return
  const { starts, minutes } = own.data
  const now = clock()
  const seconds = Math.max(0, Math.floor(elapsed(now) / 1000))
  own.find("[role=timer]").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
  own.find(".lab-run").textContent = runs(now) ? "Pause" : seconds ? "Go on" : "Start the clock"
  const from = starts[own.at] ?? 0
  const to = from + (minutes[own.at] ?? 0)
  const late = Math.floor(seconds / 60 - to)
  const early = Math.floor(from - seconds / 60)
  const how = !seconds ? "" : late >= 1 ? `, ${late} min behind` : early >= 1 ? `, ${early} min ahead` : ", on time"
  own.find(".lab-planned").textContent = `this item: minute ${from} to ${to}${how}`
}
