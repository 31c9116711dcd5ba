// One of several options: native radio buttons, large, with letters. Within them the keys A, B, C or
// 1, 2, 3 choose too.

import { element, taken } from "./answer_parts.js"

export function choose(answer) {
  const { data, root, key } = answer
  const box = element("div", "lab-options", { role: "radiogroup", "aria-label": data.label })
  const radios = data.options.map((option, i) => {
    const radio = element("input", "", { type: "radio", name: key, value: i })
    const label = element("label", "lab-option")
    const letter = element("b", "", { "aria-hidden": "true" }, String.fromCharCode(65 + i))
    label.append(radio, letter, element("span", "", {}, option))
    box.append(label)
    radio.addEventListener("change", () => put(i))
    return radio
  })
  const put = (i) => {
    answer.value.choice = i
    answer.hand(150)
  }
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.key.length !== 1) return
    const letter = event.key.toLowerCase().charCodeAt(0) - 97
    const radio = radios[letter] ?? radios[Number(event.key) - 1]
    if (!radio) return
    taken(event)
    radio.focus()
    put(radios.indexOf(radio))
  })
  root.append(box)
  return () => radios.forEach((radio, i) => { radio.checked = answer.value.choice === i })
}
