// Numbers to be typed. Phones get the keyboard of digits, and the two keys that it lacks.

import { element } from "./answer_parts.js"

const TYPING_MS = 900
const MISSING = [["−", "minus"], ["/", "divided by, as in 1/3"]]

export function fields(answer) {
  const { data, root, key } = answer
  const box = element("div", "lab-fields")
  const inputs = data.names.map((name, i) => {
    const input = field(answer, i, { id: `${key}-${i}`, placeholder: "0.5 or 1/3" })
    const label = element("label", "", { for: input.id }, name)
    const one = element("div", "lab-field")
    one.append(label, input)
    box.append(one)
    return input
  })
  root.append(box, missingKeys(inputs))
  return () => inputs.forEach((input, i) => { if (input.value !== answer.value.texts[i]) input.value = answer.value.texts[i] })
}

/** Return an input that holds the i-th text of the answer. */
export function field(answer, i, attributes) {
  const input = element("input", "", {
    type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", maxlength: "60",
    enterkeyhint: "done", "aria-describedby": answer.note.id, ...attributes,
  })
  input.addEventListener("input", () => {
    answer.value.texts[i] = input.value
    answer.asked = false
    input.setAttribute("aria-invalid", "false")
    answer.note.textContent = ""
    answer.hand(TYPING_MS)
  })
  input.addEventListener("change", () => {
    answer.asked = true // now a complaint is in place
    answer.changed(0)
  })
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return
    answer.asked = true
    answer.changed(0)
  })
  return input
}

function missingKeys(inputs) {
  const row = element("div", "lab-missing-keys", { role: "group", "aria-label": "More keys" })
  let last = inputs[0]
  inputs.forEach((input) => input.addEventListener("focus", () => { last = input }))
  for (const [text, name] of MISSING) {
    const button = element("button", "", { type: "button", "aria-label": name }, text)
    button.addEventListener("pointerdown", (event) => event.preventDefault()) // the keyboard stays open
    button.addEventListener("click", () => {
      last.focus()
      last.setRangeText(text, last.selectionStart, last.selectionEnd, "end")
      last.dispatchEvent(new Event("input"))
    })
    row.append(button)
  }
  return row
}
