// Lecture mode: shows one panel of the page and hides the rest, with a title, two buttons and keys.
// The panel changes here at once; the page's script is told a moment later and writes the link.

import { blanks, isFree, keysAreOn, step, switchKeys, turn } from "./keys.js"
import { showCode } from "./code.js"
import { leads, projects, span } from "./projected.js"
import { CHANGED, blanked, isBlank, project } from "./stage.js"
import { sheet } from "./style.js"

const TELL_MS = 300
const LEAVING = ["PageDown", "PageUp", "Escape"]
const EMPTY_MS = 1500 // after which a panel that has nothing to show in this state is passed over
const GROWTH = [1.6, 1.45, 1.3, 1.15, 1, 0.925, 0.8] // of words that have the panel to themselves; none gets below 24 px
const CLIPPING = ".lab-scroll, .lab-card, .lab-below, .lab-beside, .katex-display, [data-testid=stMarkdownContainer]"
const PAGE = "[data-testid=stMainBlockContainer]"
const NOTES = "[data-testid=stAlert]" // what the page warns of, such as a link that it repaired
let looks = null // its stylesheet, loaded with the first lecture
const ON = "data-lab-on" // marks what the panel shows; lecture.css hides what neither is, holds nor lies in it

export default function mount(component) {
  const host = component.parentElement
  const lecture = (host.labLecture ??= begin(host))
  lecture.component = component
  lecture.panels = component.data.panels
  lecture.code = component.data.code
  lecture.of = component.data.of
  const anew = lecture.session && lecture.session !== component.data.session
  lecture.session = component.data.session
  if (anew && lecture.serial) tell(lecture) // a server that has started anew: what is shown here counts
  else if (component.data.heard >= lecture.serial) { // else it does not know the newest panel yet
    lecture.serial = component.data.heard
    show(lecture, component.data.panel)
  }
  return () => leave(host, lecture)
}

function begin(host) {
  const lecture = { host, serial: 0, number: 0, panels: [], blank: null, noted: false }
  lecture.press = (event) => press(lecture, event)
  window.addEventListener("keydown", lecture.press)
  return lecture
}

function leave(host, lecture) {
  window.removeEventListener("keydown", lecture.press)
  clearTimeout(lecture.telling)
  if (lecture.number) close(lecture)
  delete host.labLecture
}

function show(lecture, number) {
  if (number === lecture.number) return
  if (number && !lecture.root && !open(lecture)) return
  if (!number) close(lecture)
  lecture.number = number
  if (!number) return
  const shown = lecture.panels[number - 1]
  document.documentElement.classList.toggle("lab-aside", shown.aside)
  document.documentElement.dataset.labPanel = shown.name
  mark(lecture)
  lecture.title.textContent = shown.title
  const [first, last] = within(lecture)
  lecture.count.textContent = `${number - first + 1} / ${last - first + 1}`
  project({ ...shown, number })
  buttons(lecture)
  grow(GROWTH)
  passOver(lecture)
}

/** Give words the largest size of these at which they fit; a picture fits itself into what is left. */
function grow(sizes) {
  const page = document.querySelector(PAGE)
  const root = document.documentElement.style
  const fits = () => {
    const bottom = page.firstElementChild.getBoundingClientRect().bottom
    const main = page.closest("[data-testid=stMain]") // counts margins and what hangs out, too
    return bottom <= innerHeight - parseFloat(getComputedStyle(page).paddingBottom) + 1 &&
      main.scrollHeight <= main.clientHeight + 1 &&
      [page.firstElementChild, ...page.querySelectorAll(CLIPPING)].every((each) => each.scrollWidth <= each.clientWidth + 1)
  }
  if (page.querySelector(`.lab-plot:not(.lab-words) .lab-canvas[${ON}]`)) return root.setProperty("--lab-grow", 1)
  for (const size of sizes) {
    root.setProperty("--lab-grow", size)
    if (fits()) return
  }
}

/** Pictures and the page's script replace elements at any time, so this is called at each change. */
function mark({ panels, number, noted }) {
  const parts = [...panels[number - 1].parts, ...(noted ? [NOTES] : [])]
  const wanted = new Set(document.querySelector(PAGE).querySelectorAll(parts.join(", ")))
  for (const each of document.querySelectorAll(`[${ON}]`)) if (!wanted.delete(each)) each.removeAttribute(ON)
  for (const each of wanted) each.setAttribute(ON, "")
  return wanted.size > 0
}

/** The buttons lead wherever a clicker does: to a step, a panel, or in a running order to another item. */
function buttons(lecture) {
  const steps = (way) => [...document.querySelectorAll(`[data-lab-steps~=${way}]`)].some((each) => each.checkVisibility())
  const beyond = !projects() && document.querySelector("[data-lab-beyond]") !== null // another exercise of the set
  lecture.back.disabled = !steps("back") && !next(lecture, -1) && !leads(-1)
  lecture.on.disabled = !steps("on") && !next(lecture, 1) && !leads(1) && !beyond
  // What the page warns of is for whoever lectures: one press away, not on the screen by itself.
  const notes = [...document.querySelectorAll(`${PAGE} ${NOTES}`)]
  lecture.note.hidden = !lecture.noted && notes.every((each) => each.parentElement.closest(`[${ON}]`))
  lecture.note.title = notes.map((each) => each.textContent).join("\n")
  lecture.note.setAttribute("aria-expanded", lecture.noted)
}

/** The first and the last panel, of the page or of the item of a running order that shows it. */
function within({ panels, number }) {
  const [first, last] = span()
  const within = first <= number && number <= last
  return within ? [Math.min(first, panels.length), Math.min(last, panels.length)] : [1, panels.length]
}

/** The next panel that has something to show: one whose state lacks what it is about is passed over. */
function next(lecture, by) {
  const [first, last] = within(lecture)
  const there = (number) => first <= number && number <= last
  let number = lecture.number + by
  const brings = (panel) => panel.reveals && !reveals(lecture, lecture.number) // it is sent only then
  const missing = (number) => isEmpty(lecture, number) && !isLoading(lecture) // else it may be about to come
  while (there(number) && !brings(lecture.panels[number - 1]) && missing(number)) number += by
  return there(number) ? number : 0
}

/** Whether parts of the page are still on their way for the first time. */
function isLoading(lecture) {
  lecture.ran ||= !isRunning()
  const pictured = (each) => each.querySelector(".lab-plot")?.parentElement.labPlot?.picture
  return !lecture.ran || ![...document.querySelectorAll("[class*='st-key-plot_']")].every(pictured)
}

const isRunning = () => document.querySelector("[data-testid=stApp]").dataset.testScriptState === "running"

const isEmpty = ({ panels }, number) => !document.querySelector(panels[number - 1].parts.at(-1))

/** Leave a panel that a link asked for and that stays empty when the page's script has come to its end. */
function passOver(lecture) {
  clearTimeout(lecture.passing)
  if (!lecture.number || lecture.filled === lecture.number) return
  if (!isEmpty(lecture, lecture.number)) {
    lecture.filled = lecture.number // a step may empty it later: then it stays
    return
  }
  lecture.passing = setTimeout(() => {
    if (isRunning() || isLoading(lecture)) return passOver(lecture)
    if (lecture.number && isEmpty(lecture, lecture.number)) go(lecture, 1) || go(lecture, -1)
  }, EMPTY_MS)
}

function go(lecture, by) {
  if (isComing(lecture)) return true
  const number = next(lecture, by)
  if (!number) return false
  lecture.coming = reveals(lecture, number) && !reveals(lecture, lecture.number)
  show(lecture, number)
  tell(lecture, lecture.coming ? 0 : TELL_MS)
  return true
}

const reveals = (lecture, number) => lecture.panels[number - 1].reveals

/** Whether the page's script is about to send what this panel reveals: until then no key leads past it. */
function isComing(lecture) {
  lecture.coming &&= lecture.component.data.heard < lecture.serial || isRunning()
  return lecture.coming
}

function tell(lecture, wait = 0) {
  lecture.serial += 1
  clearTimeout(lecture.telling)
  const { of } = lecture // another exercise may be there when it is told
  lecture.telling = setTimeout(() => {
    lecture.component.setStateValue("shown", { panel: lecture.number, serial: lecture.serial, of })
  }, wait)
}

/** Put up the stage; false if the page is loaded anew for it, in the light theme. */
function open(lecture) {
  looks ??= new Promise((done) => { sheet("lecture.css").onload = done })
  const link = new URL(location.href)
  const asked = link.searchParams.getAll("embed_options").includes("light_theme")
  if (isDark() && !asked) { // where it stays dark all the same, as with forced colours, it is shown so
    link.searchParams.set("embed_options", "light_theme")
    if (!link.searchParams.get("lecture")) link.searchParams.set("lecture", "1")
    location.replace(link)
    return false
  }
  document.documentElement.classList.add("lab-lecture")
  const root = document.createElement("nav")
  root.className = "lab-lecture-bar"
  root.setAttribute("aria-label", "Lecture")
  root.innerHTML = `
    <div class="lab-lecture-head">
      <h1 aria-live="polite"></h1>
      <span class="lab-lecture-count"></span>
      <button type="button" class="lab-lecture-note" aria-label="Notes of the page" hidden>⚠</button>
      <button type="button" class="lab-lecture-code" aria-label="QR code of this state" title="QR code of this state: Q">QR</button>
      <button type="button" class="lab-lecture-blank" aria-label="Blank the screen" title="Blank the screen: . or B">■</button>
      <button type="button" class="lab-lecture-keys" aria-label="Shortcut keys">Keys</button>
      <button type="button" class="lab-lecture-end" aria-label="End the lecture" title="End the lecture">✕</button>
    </div>
    <button type="button" class="lab-lecture-back" aria-label="Previous panel" title="Back: Page Up">‹</button>
    <button type="button" class="lab-lecture-on" aria-label="Next panel" title="On: Page Down">›</button>`
  document.body.append(root)
  const find = (name) => root.querySelector(name)
  Object.assign(lecture, { root, title: find("h1"), count: find(".lab-lecture-count"), note: find(".lab-lecture-note"), back: find(".lab-lecture-back"), on: find(".lab-lecture-on") })
  lecture.back.addEventListener("click", () => step(-1))
  lecture.on.addEventListener("click", () => step(1))
  lecture.note.addEventListener("click", () => {
    lecture.noted = !lecture.noted
    mark(lecture)
    buttons(lecture)
    grow(GROWTH)
  })
  find(".lab-lecture-blank").addEventListener("click", () => blank(lecture))
  find(".lab-lecture-code").addEventListener("click", () => cover(lecture, showCode(lecture.code)))
  find(".lab-lecture-end").addEventListener("click", () => end(lecture))
  const keys = find(".lab-lecture-keys")
  const keysShown = () => {
    keys.setAttribute("aria-pressed", keysAreOn())
    keys.title = keysAreOn() ? "Shortcut keys are on. Press to switch them off." : "Shortcut keys are off. Press to switch them on."
  }
  keys.addEventListener("click", () => { switchKeys(!keysAreOn()); keysShown() })
  keysShown()
  // The wheel neither scrolls nor turns a number; a long list that is open it does scroll.
  lecture.wheel = (event) => { if (!event.ctrlKey && !event.target.closest?.("[role=listbox]")) event.preventDefault() }
  window.addEventListener("wheel", lecture.wheel, { passive: false, capture: true })
  // After the pointer has used a control, keys go through the panels again.
  lecture.released = () => setTimeout(() => {
    const at = document.activeElement
    if (at?.matches("button, a, summary, [type=range], [type=radio], [type=checkbox], .lab-canvas, .lab-handle")) at.blur()
  })
  window.addEventListener("pointerup", lecture.released)
  lecture.changed = new MutationObserver(() => {
    if (mark(lecture)) grow(GROWTH)
    buttons(lecture) // the page's later parts arrive while the first panel is shown
    passOver(lecture)
  })
  lecture.changed.observe(document.querySelector(PAGE), { childList: true, subtree: true, attributeFilter: ["data-lab-steps"] })
  const sized = (sizes) => {
    document.dispatchEvent(new Event(CHANGED))
    grow(sizes)
  }
  // Under the hand words only become smaller, where they would not fit any more.
  lecture.sized = new ResizeObserver(() => sized(GROWTH.filter((size) => size <= grown())))
  lecture.sized.observe(document.querySelector(PAGE).firstElementChild)
  lecture.resized = () => sized(GROWTH)
  window.addEventListener("resize", lecture.resized)
  // What was measured before they were there says nothing.
  for (const ready of [looks, document.fonts.ready]) ready.then(() => { if (lecture.root === root) lecture.resized() })
  return true
}

function close(lecture) {
  if (!lecture.root) return
  document.documentElement.classList.remove("lab-lecture", "lab-aside")
  for (const each of document.querySelectorAll(`[${ON}]`)) each.removeAttribute(ON)
  lecture.root.remove()
  lecture.root = null
  lecture.noted = false
  clearTimeout(lecture.passing)
  lecture.blank?.()
  window.removeEventListener("wheel", lecture.wheel, { capture: true })
  window.removeEventListener("pointerup", lecture.released)
  window.removeEventListener("resize", lecture.resized)
  lecture.sized.disconnect()
  lecture.changed.disconnect()
  project(null)
}

function end(lecture) {
  show(lecture, 0)
  tell(lecture)
}

function press(lecture, event) {
  if (event.defaultPrevented || event.isComposing) return
  if (lecture.blank) return
  // In a field no key leads on, but a clicker's first press leaves it, so that the next one does.
  if (lecture.number && LEAVING.includes(event.key) && event.target.matches?.("input:not([type=range])")) event.target.blur()
  if (lecture.number && blanks(event)) {
    event.preventDefault()
    return blank(lecture)
  }
  if (keysAreOn() && isFree(event)) {
    if (lecture.number && event.key.toLowerCase() === "q") {
      event.preventDefault()
      return cover(lecture, showCode(lecture.code))
    }
    if (!lecture.number && event.key.toLowerCase() === "l" && lecture.panels.length) {
      event.preventDefault()
      show(lecture, 1)
      return lecture.number && tell(lecture)
    }
  }
  const by = lecture.number ? turn(event) : 0
  if (by && go(lecture, by)) event.preventDefault()
}

function blank(lecture) {
  const black = document.createElement("div")
  black.className = "lab-lecture-black"
  black.setAttribute("aria-label", "The screen is blank. Press any key.")
  cover(lecture, black)
  blanked(true)
}

/** Something over all, until any key or a touch. F5, Esc and keys with Ctrl or Alt keep what they do. */
function cover(lecture, cover) {
  const from = document.activeElement
  cover.tabIndex = -1
  cover.setAttribute("role", "dialog")
  const away = () => {
    cover.remove()
    window.removeEventListener("keydown", any, true)
    lecture.blank = null
    if (isBlank()) blanked(false)
    from?.focus?.({ preventScroll: true })
  }
  const any = (event) => {
    if (["Shift", "Control", "Alt", "Meta", "F5"].includes(event.key) || event.ctrlKey || event.altKey || event.metaKey) return
    event.stopImmediatePropagation()
    if (event.key !== "Escape") event.preventDefault()
    away()
  }
  window.addEventListener("keydown", any, true)
  cover.addEventListener("pointerdown", any)
  document.body.append(cover)
  cover.focus()
  lecture.blank = away
}

const grown = () => Number(document.documentElement.style.getPropertyValue("--lab-grow") || 1)

function isDark() {
  const colour = getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor
  return colour.match(/\d+/g).slice(0, 3).every((part) => Number(part) < 128)
}
