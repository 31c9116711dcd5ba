// A native range input, so that keyboard, touch and screen readers work as everywhere, that sends
// its value while it is dragged. The page's settings own the value: `data.value` is what holds.

import { answered, send, whenQuiet } from "./channel.js"
import { styled } from "./style.js"

export default function mount(component) {
  styled()
  const host = component.parentElement
  const slider = (host.labSlider ??= build(host, component.key))
  slider.component = component
  update(slider, component.data)
  answered(component.data.sequence)
}

function build(host, key) {
  const root = document.createElement("div")
  root.className = "lab-slider"
  root.innerHTML = `
    <div class="lab-slider-head">
      <label></label>
      <span class="lab-slider-value"><input type="text" inputmode="decimal" autocomplete="off"><span class="lab-unit"></span></span>
    </div>
    <input type="range" min="0" step="1">
    <div class="lab-slider-note" aria-live="polite"></div>`
  host.append(root)
  const slider = {
    root,
    label: root.querySelector("label"),
    range: root.querySelector("[type=range]"),
    field: root.querySelector("[type=text]"),
    unit: root.querySelector(".lab-unit"),
    note: root.querySelector(".lab-slider-note"),
    typed: false, // the field holds something not yet taken
  }
  slider.range.id = `range-${key}`
  slider.note.id = `note-${key}`
  slider.label.htmlFor = slider.range.id
  for (const input of [slider.range, slider.field]) input.setAttribute("aria-describedby", slider.note.id)
  slider.range.addEventListener("input", () => {
    say(slider, "")
    go(slider, slider.component.data.options[Number(slider.range.value)])
  })
  slider.field.addEventListener("input", () => { slider.typed = true })
  slider.field.addEventListener("change", () => take(slider))
  slider.field.addEventListener("keydown", (event) => { if (event.key === "Enter") take(slider) })
  return slider
}

function go(slider, value) {
  if (value === slider.sent) return
  slider.sent = value
  show(slider, value)
  send(slider, (sequence) => {
    slider.inFlight = value
    slider.component.setStateValue("value", { value, sequence })
  })
  whenQuiet(() => slider.component.setTriggerValue("settled", true))
}

function take(slider) {
  if (!slider.typed) return
  slider.typed = false
  const { low, high } = slider.component.data
  const text = slider.field.value.trim().replace("\u2212", "-").replace(/[,_ ](?=\d{3}\b)/g, "")
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : NaN
  if (!(value >= low && value <= high)) {
    say(slider, `Type a whole number from ${low.toLocaleString("en")} to ${high.toLocaleString("en")}.`)
    slider.field.setAttribute("aria-invalid", "true")
    return
  }
  say(slider, "")
  go(slider, value)
}

function update(slider, data) {
  // While values are still under way, the thumb follows the hand, not an answer to the past.
  const stale = slider.sent !== undefined && slider.sent !== slider.inFlight
  slider.label.textContent = data.label
  slider.root.title = data.help
  slider.field.setAttribute("aria-label", `${data.label}, exact value`)
  slider.unit.textContent = data.unit
  slider.range.max = data.options.length - 1
  for (const input of [slider.range, slider.field]) input.disabled = Boolean(data.disabled)
  slider.root.classList.toggle("lab-disabled", Boolean(data.disabled))
  if (data.disabled) say(slider, data.disabled)
  else if (slider.wasDisabled) say(slider, "")
  slider.wasDisabled = Boolean(data.disabled)
  if (stale) return
  slider.sent = slider.inFlight = data.value
  show(slider, data.value)
}

function show(slider, value) {
  const { options, unit } = slider.component.data
  slider.range.value = nearest(options, value)
  slider.range.style.setProperty("--filled", `${(100 * slider.range.value) / Math.max(1, options.length - 1)}%`)
  slider.range.setAttribute("aria-valuetext", `${value}${unit && ` ${unit}`}`)
  if (document.activeElement !== slider.field || !slider.typed) slider.field.value = String(value)
}

function say(slider, sentence) {
  slider.note.textContent = sentence
  slider.field.removeAttribute("aria-invalid")
}

function nearest(options, value) {
  let best = 0
  for (let i = 1; i < options.length; i += 1) {
    if (Math.abs(options[i] - value) < Math.abs(options[best] - value)) best = i
  }
  return best
}
