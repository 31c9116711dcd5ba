// The field in which a part of an exercise is answered. Each kind draws itself from `answer.value`,
// changes that, and says so; here it is told to the page's script.
//
// The hand is always right: what the script says counts only when it has heard all that was told, so no
// rerun takes anything back. The script is told at rest, and at once when the hand goes elsewhere (to
// the button that commits, say). What it never hears is told again.

import { cells } from "./answer_cells.js"
import { choose } from "./answer_choose.js"
import { fields } from "./answer_fields.js"
import { order } from "./answer_order.js"
import { row } from "./answer_row.js"
import { element, styled } from "./answer_parts.js"

const KINDS = { number: fields, numbers: fields, row, cells, order, choose }
const REST_MS = 400
const UNHEARD_MS = 3000 // at first; then twice as long each time

export default async function mount(component) {
  await styled()
  const host = component.parentElement
  if (host.labAnswer?.key !== component.key) {
    host.labAnswer?.root.remove()
    host.labAnswer = build(host, component)
  }
  const answer = host.labAnswer
  answer.component = component
  follow(answer, component.data)
}

function build(host, component) {
  const { data, key } = component
  const root = element("div", "lab-answer", { role: "group", "aria-label": data.label })
  const note = element("div", "lab-answer-note", { "aria-live": "polite", id: `${key}-note` })
  const answer = {
    key, root, note, component, data,
    value: structuredClone(data.value),
    serial: data.heard, // of the last report
    dirty: false, // something is not told yet
    patience: UNHEARD_MS,
    /** The hand has changed something; wait: until it is at rest. */
    changed(wait = REST_MS) {
      answer.dirty = true
      clearTimeout(answer.timer)
      if (wait) answer.timer = setTimeout(() => tell(answer), wait)
      else tell(answer)
    },
    /** A change that is an answer of its own takes back a word that was said instead. */
    hand(wait) {
      answer.value.word = null
      answer.show()
      answer.changed(wait)
    },
  }
  host.append(root)
  const show = KINDS[data.kind](answer)
  const showWord = words(answer)
  root.append(note)
  answer.show = () => {
    root.classList.toggle("lab-set-aside", answer.value.word !== null)
    show()
    showWord()
  }
  answer.show()
  root.addEventListener("focusout", ({ relatedTarget }) => {
    if (!root.contains(relatedTarget)) leave(answer)
  })
  const elsewhere = ({ target }) => {
    if (!root.isConnected) return document.removeEventListener("pointerdown", elsewhere, true)
    if (!root.contains(target)) leave(answer)
  }
  document.addEventListener("pointerdown", elsewhere, true)
  return answer
}

/** What can be said instead, such as "it cannot be known": a button that can be taken back. */
function words(answer) {
  const { root, data } = answer
  if (!data.words.length) return () => {}
  const buttons = data.words.map((word, i) => {
    const button = element("button", "lab-pick", { type: "button" }, word)
    button.addEventListener("click", () => {
      answer.value.word = answer.value.word === i ? null : i
      answer.show()
      answer.changed(0)
    })
    return button
  })
  const box = element("div", "lab-or")
  box.append(element("span", "", {}, "or say:"), ...buttons)
  root.append(box)
  return () => buttons.forEach((button, i) => button.setAttribute("aria-pressed", answer.value.word === i))
}

function leave(answer) {
  if (answer.dirty) tell(answer)
  say(answer)
}

function tell(answer) {
  clearTimeout(answer.timer)
  answer.dirty = false
  answer.serial += 1
  answer.component.setStateValue("given", { serial: answer.serial, value: structuredClone(answer.value) })
  expectHeard(answer)
}

/** Tell it again if it is not heard in a while. */
function expectHeard(answer) {
  clearTimeout(answer.again)
  answer.again = setTimeout(() => {
    if (!answer.root.isConnected) return
    answer.patience *= 2
    answer.changed(0)
  }, answer.patience)
}

function follow(answer, data) {
  const restarted = data.heard < answer.data.heard // the script knows nothing any more
  answer.data = data
  if (restarted) return answer.changed(0)
  if (data.heard < answer.serial) return // what it has heard is older than the hand
  clearTimeout(answer.again)
  answer.again = 0
  answer.patience = UNHEARD_MS
  if (answer.dirty) return
  answer.serial = data.heard
  if (JSON.stringify(data.value) !== JSON.stringify(answer.value)) {
    answer.value = structuredClone(data.value)
    answer.show()
  }
  // No complaint about a number that is still being typed.
  if (!answer.root.contains(document.activeElement) || answer.asked) say(answer)
}

function say(answer) {
  const { said, fault } = answer.data
  answer.asked = false
  if (answer.note.textContent !== said) answer.note.textContent = said
  answer.root.querySelectorAll("[type=text]").forEach((input, i) => input.setAttribute("aria-invalid", i === fault))
}
