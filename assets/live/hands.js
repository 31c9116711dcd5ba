// A show of hands: a field for each count, a bar beside it, a second count beside the first.
//
// Counts are typed in the projected window or in the presenter's; the other one follows. Before a room they
// are covered until somebody shows them, so that the first vote does not pull the second along.

import { element, styled } from "./answer_parts.js"
import { isFree, keysAreOn, turn } from "./keys.js"
import { channel } from "./program.js"
import { projects } from "./projected.js"
import { CHANGED, panel } from "./stage.js"

const CHANNEL = "attention-lab-hands"
const REST_MS = 350
const WHEN = ["first count", "after talk"]
const NAMES = ["hands", "again"]

export default async function mount(component) {
  await styled()
  const host = component.parentElement
  if (host.labHands?.name !== component.data.name) {
    host.labHands?.end()
    host.labHands = build(host, component)
  }
  const own = host.labHands
  own.component = component
  const anew = own.data.session !== component.data.session
  own.data = component.data
  if (anew && own.texts.some(Boolean)) report(own) // a server that has started anew: what stands here counts
  else follow(own)
  return () => {
    own.end()
    delete host.labHands
  }
}

function build(host, component) {
  const { data } = component
  const root = element("section", "lab-answer lab-hands", { "aria-label": "Show of hands" })
  const own = { root, component, data, name: data.name, serial: data.heard, texts: [...data.typed], shown: false, fields: [] }
  own.rows = element("div", "lab-hands-rows")
  own.foot = element("div", "lab-hands-foot")
  own.show = element("button", "lab-pick", { type: "button", title: "Key: H" })
  own.show.addEventListener("click", () => uncover(own, !own.shown))
  own.total = element("span", "lab-hands-total")
  own.said = element("span", "lab-hands-said", { "aria-live": "polite" })
  own.foot.append(own.show, own.total, own.said)
  root.append(own.rows, own.foot)
  host.append(root)
  own.channel = channel(CHANNEL, (said) => hear(own, said))
  own.channel.postMessage({ name: own.name, ask: true })
  own.press = (event) => press(own, event)
  window.addEventListener("keydown", own.press)
  own.draw = () => draw(own) // whether a lecture is on may be known only after this
  document.addEventListener(CHANGED, own.draw)
  own.end = () => {
    window.removeEventListener("keydown", own.press)
    document.removeEventListener(CHANGED, own.draw)
    if (own.timer) report(own) // before the field loses the focus with its place
    root.remove()
    own.channel.close()
  }
  draw(own)
  return own
}

/** H shows and covers. What a clicker asks for and no panel has leads to the next exercise of the set. */
function press(own, event) {
  if (event.key.toLowerCase() === "h" && keysAreOn() && isFree(event) && own.root.checkVisibility()) {
    event.preventDefault()
    return uncover(own, !own.shown)
  }
  if (turn(event) !== 1 || projects() || !panel()) return
  setTimeout(() => { // after all others have seen it; a projected window goes to the next item instead
    if (!event.defaultPrevented) send(own, { on: true })
  })
}

function uncover(own, shown, told = true) {
  own.shown = shown
  if (told) own.channel.postMessage({ name: own.name, shown })
  draw(own)
}

/** One field has been changed, here or in the other window: i is its letter, undefined for numbers called out. */
function put(own, which, i, text) {
  if (i === undefined) own.texts[which] = text
  else own.texts[which] = own.data.rows.map((_, j) => (j === i ? text.trim() : valueOf(own, { i: j, which })) || "0").join(",")
  draw(own)
  clearTimeout(own.timer)
  own.timer = setTimeout(() => report(own), REST_MS)
}

function typed(own, which, i, text) {
  put(own, which, i, text)
  own.channel.postMessage({ name: own.name, field: [which, i, text] })
}

function report(own) {
  clearTimeout(own.timer)
  own.timer = 0
  const [hands, again] = own.texts
  send(own, { hands, again })
}

const send = (own, what) => own.component.setStateValue("told", { name: own.name, serial: (own.serial += 1), ...what })

function hear(own, said) {
  if (said.name !== own.name) return
  if (said.ask && own.texts.some(Boolean)) return own.channel.postMessage({ name: own.name, texts: own.texts, shown: own.shown })
  if (said.shown !== undefined) uncover(own, said.shown, false)
  if (said.field) put(own, ...said.field)
  if (!said.texts || own.timer || JSON.stringify(said.texts) === JSON.stringify(own.texts)) return
  own.texts = [...said.texts]
  draw(own)
  report(own)
}

function follow(own) {
  const { data } = own
  const heard = data.heard >= own.serial && !own.timer
  if (heard && !data.said && !own.root.contains(document.activeElement)) own.texts = [...data.typed]
  draw(own)
}

// --- drawing ---

const counted = (own, which) => (own.data.lettered ? counts(own, which).some((n) => n > 0) : own.texts[which].trim() !== "")

/** Letters: what stands in the fields. Numbers called out: what the page's script has read. */
function counts(own, which) {
  if (!own.data.lettered) return own.data.rows.map((row) => row.counts[which])
  const texts = own.texts[which].split(",")
  return own.data.rows.map((_, i) => (/^\d{1,4}$/.test((texts[i] ?? "").trim()) ? Number(texts[i]) : 0))
}

function draw(own) {
  const { data, root, rows } = own
  const both = [0, 1].map((which) => counts(own, which))
  const most = Math.max(1, ...both.flat())
  const shape = JSON.stringify([data.lettered, data.rows.map(({ label }) => label)])
  if (own.shape !== shape) {
    own.shape = shape
    rebuild(own)
  }
  root.classList.toggle("lab-hands-plain", !data.lettered)
  root.toggleAttribute("data-counted", counted(own, 0))
  root.toggleAttribute("data-again", counted(own, 1))
  root.toggleAttribute("data-lab-beyond", data.more)
  const onStage = panel() !== null
  const covered = onStage && !own.shown && !counted(own, 1) && !data.revealed
  root.toggleAttribute("data-covered", covered)
  own.show.textContent = own.shown ? "Cover the count" : onStage ? "Show the count" : "Show the count to the room"
  own.show.hidden = !counted(own, 0) || counted(own, 1) || (data.revealed && onStage)
  own.bars.forEach(([row, bars], i) => {
    row.classList.toggle("lab-hands-right", data.rows[i].right)
    bars.forEach((bar, which) => {
      bar.style.setProperty("--share", both[which][i] / most)
      bar.lastChild.textContent = both[which][i] || ""
    })
  })
  for (const field of own.fields) {
    const text = valueOf(own, field)
    if (field.input !== document.activeElement && field.input.value !== text) field.input.value = text
  }
  own.total.textContent = covered ? "" : [0, 1].filter((which) => counted(own, which)).map((which) => `${WHEN[which]}: ${both[which].reduce((a, b) => a + b, 0)}`).join(" · ")
  if (own.said.textContent !== data.said) own.said.textContent = data.said
}

function rebuild(own) {
  const { data, rows } = own
  const held = own.fields.find(({ input }) => input === document.activeElement)
  rows.replaceChildren()
  own.fields = data.lettered ? [] : own.fields
  if (!data.lettered) rows.append((own.called ??= calledFields(own)))
  own.bars = data.rows.map((each, i) => {
    const row = element("div", "lab-hands-row")
    const letter = data.lettered ? String.fromCharCode(65 + i) : ""
    row.append(element("b", "lab-hands-letter", {}, letter), element("span", "lab-hands-label", {}, each.label))
    const bars = WHEN.map((when, which) => {
      const bar = element("span", `lab-hands-bar lab-hands-${NAMES[which]}`)
      bar.append(element("i"), element("em"))
      row.append(bar)
      if (data.lettered) row.append(countField(own, i, which, `${letter}, ${when}`))
      return bar
    })
    rows.append(row)
    return [row, bars]
  })
  if (held && !data.lettered) held.input.focus()
}

function countField(own, i, which, label) {
  const input = textField(`lab-hands-count lab-hands-${NAMES[which]}`, { inputmode: "numeric", maxlength: "4", placeholder: which ? "again" : "first", "aria-label": `Hands for ${label}` })
  const field = { input, i, which }
  own.fields.push(field)
  input.addEventListener("input", () => typed(own, which, i, input.value))
  leaving(own, field)
  return input
}

function calledFields(own) {
  const box = element("div", "lab-hands-called")
  WHEN.forEach((when, which) => {
    const input = textField(`lab-hands-${NAMES[which]}`, { maxlength: "400", placeholder: "0.3x4 0.5 1/3" })
    const label = element("label", `lab-hands-${NAMES[which]}`, {}, which ? "After talk" : "Called out (x4: four hands)")
    label.append(input)
    box.append(label)
    const field = { input, which }
    own.fields.push(field)
    input.addEventListener("input", () => typed(own, which, undefined, input.value))
    leaving(own, field)
  })
  return box
}

const textField = (name, attributes) => element("input", name, { type: "text", autocomplete: "off", spellcheck: "false", ...attributes })

/** Enter goes to the next field in sight; after the last, keys are the lecture's again. */
function leaving(own, { input }) {
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return
    event.preventDefault()
    const inSight = own.fields.map((each) => each.input).filter((each) => each.checkVisibility())
    const next = inSight[inSight.indexOf(input) + 1]
    if (next) next.focus()
    else input.blur()
  })
  input.addEventListener("blur", () => { if (own.timer) report(own) })
}

function valueOf(own, { i, which }) {
  if (!own.data.lettered) return own.texts[which]
  const text = (own.texts[which].split(",")[i] ?? "").trim()
  return text === "0" ? "" : text
}
