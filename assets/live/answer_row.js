// A row of weights, drawn: one bar for each key, from 0 to 1. Dragged, or by keys, or typed.

import { field } from "./answer_fields.js"
import { element, taken, weight } from "./answer_parts.js"

const STEPS = { ArrowRight: 0.05, ArrowUp: 0.05, ArrowLeft: -0.05, ArrowDown: -0.05, PageUp: 0.1, PageDown: -0.1 }

export function row(answer) {
  const { data, root } = answer
  const list = element("div", "lab-weights")
  const bars = data.names.map((name, i) => bar(answer, list, name, i))
  const scale = element("div", "lab-weight lab-weight-scale", { "aria-hidden": "true" })
  const marks = element("div")
  marks.append(...["0", "0.5", "1"].map((text) => element("span", "", {}, text)))
  scale.append(element("span"), marks)
  list.append(scale)
  const foot = element("div", "lab-answer-foot")
  const sum = element("output", "lab-sum")
  const rest = element("button", "lab-pick", { type: "button" }, "set the rest to 0")
  rest.addEventListener("click", () => {
    answer.value.texts = answer.value.texts.map((text) => (text.trim() ? text : "0"))
    answer.hand(0)
    bars[0].track.focus() // the button goes away
  })
  foot.append(sum, rest)
  root.append(list, foot)
  return () => {
    const found = answer.value.texts.map(weight)
    bars.forEach((each, i) => each.show(answer.value.texts[i], found[i]))
    const total = found.reduce((a, b) => a + (b ?? 0), 0)
    const drawn = found.filter((each) => each !== null).length
    sum.textContent = drawn
      ? `Sum ${drawn < found.length ? "so far " : ""}${total.toFixed(2)}. A row of weights sums to 1.`
      : "Drag each bar, or type its weight."
    rest.hidden = drawn === 0 || answer.value.texts.every((text) => text.trim())
  }
}

function bar(answer, list, name, i) {
  const box = element("div", "lab-weight")
  const title = element("span", "lab-weight-name", {}, name)
  const track = element("div", "lab-weight-track", {
    role: "slider", tabindex: "0", "aria-label": `${name}, weight`, "aria-valuemin": "0", "aria-valuemax": "1",
  })
  const fill = element("i")
  track.append(fill)
  const type = field(answer, i, { "aria-label": `${name}, exact weight`, placeholder: "–" })
  const [less, more] = [["−", -0.05], ["+", 0.05]].map(([sign, by]) => {
    const button = element("button", "", { type: "button", "aria-label": `${name}: ${by < 0 ? "less" : "more"}` }, sign)
    button.addEventListener("click", () => step(by))
    return button
  })
  const exact = element("div", "lab-weight-exact")
  exact.append(less, type, more)
  box.append(title, track, exact)
  list.append(box)

  const put = (value, wait) => {
    answer.value.texts[i] = String(Math.round(Math.min(1, Math.max(0, value)) * 100) / 100)
    answer.note.textContent = ""
    answer.hand(wait)
  }
  const step = (by) => put((weight(answer.value.texts[i]) ?? 0) + by)
  track.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return
    const by = STEPS[event.key]
    if (by) step(event.shiftKey && event.key.startsWith("Arrow") ? by / 5 : by)
    else if (event.key === "Home") put(0)
    else if (event.key === "End") put(1)
    else return
    taken(event)
  })
  dragged(track, () => answer.value.texts[i], put, (text) => {
    answer.value.texts[i] = text
    answer.show()
  })
  return {
    track,
    show(text, value) {
      fill.style.width = `${100 * (value ?? 0)}%`
      track.classList.toggle("lab-unset", value === null)
      track.setAttribute("aria-valuenow", value ?? 0)
      track.setAttribute("aria-valuetext", value === null ? "not drawn yet" : value.toFixed(2))
      if (type.value !== text) type.value = text
    },
  }
}

/** A finger that swipes up or down scrolls the page: only once it goes sideways does the bar follow. */
function dragged(track, held, put, back) {
  let before = null
  const at = (event) => {
    const box = track.getBoundingClientRect()
    return (event.clientX - box.left) / box.width
  }
  track.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return
    before = held()
    track.setPointerCapture(event.pointerId)
    if (event.pointerType !== "touch") put(at(event))
  })
  track.addEventListener("pointermove", (event) => { if (before !== null) put(at(event)) })
  track.addEventListener("pointerup", (event) => {
    if (before !== null) put(at(event), 0)
    before = null
  })
  track.addEventListener("pointercancel", () => {
    if (before !== null) back(before)
    before = null
  })
}
