// Native range inputs, so that keyboard, touch and screen readers work as everywhere, that send
// their values while they are dragged. The page's settings own each value: `data` says what holds.

import { ahead, change, told, watch } from "./live.js"
import { styled } from "./style.js"

export default function mount(component) {
  styled()
  const host = component.parentElement
  const group = (host.labSliders ??= start(host))
  group.component = component
  told(component.data)
  component.data.sliders.forEach((data, i) => {
    const slider = (group.sliders[i] ??= build(group, `${component.key}-${i}`))
    slider.data = data
    update(slider)
  })
  while (group.sliders.length > component.data.sliders.length) group.sliders.pop().root.remove()
}

function start(host) {
  const root = document.createElement("div")
  root.className = "lab-sliders"
  host.append(root)
  const group = { root, sliders: [] }
  watch((name, value) => group.root.isConnected && follow(group, name, value))
  return group
}

function build(group, id) {
  const root = document.createElement("div")
  root.className = "lab-slider"
  root.innerHTML = `
    <div class="lab-slider-head">
      <label></label>
      <span class="lab-slider-value"><input type="text" inputmode="decimal" autocomplete="off"></span>
    </div>
    <input type="range" min="0" step="1">
    <div class="lab-slider-note" aria-live="polite"></div>`
  group.root.append(root)
  const slider = {
    group,
    root,
    label: root.querySelector("label"),
    range: root.querySelector("[type=range]"),
    field: root.querySelector("[type=text]"),
    note: root.querySelector(".lab-slider-note"),
    typed: false, // the field holds something not yet taken
  }
  slider.range.id = `range-${id}`
  slider.note.id = `note-${id}`
  slider.label.htmlFor = slider.range.id
  for (const input of [slider.range, slider.field]) input.setAttribute("aria-describedby", slider.note.id)
  slider.range.addEventListener("input", () => {
    say(slider, "")
    go(slider, slider.data.options[Number(slider.range.value)])
  })
  slider.field.addEventListener("input", () => { slider.typed = true })
  slider.field.addEventListener("change", () => take(slider))
  slider.field.addEventListener("keydown", (event) => { if (event.key === "Enter") take(slider) })
  return slider
}

function go(slider, value) {
  if (value === slider.value) return
  slider.value = value
  show(slider, value)
  const { name, index } = slider.data
  const parts = slider.group.sliders.filter((each) => each.data.name === name)
  const whole = index === null ? value : parts.map((each) => each.value).join(",")
  change(name, whole, (report) => slider.group.component.setStateValue("changes", report))
}

/** A setting has been changed, here or by another control of the page. */
function follow(group, name, value) {
  for (const slider of group.sliders) {
    if (slider.data.name !== name) continue
    slider.value = slider.data.index === null ? value : Number(value.split(",")[slider.data.index])
    show(slider, slider.value)
  }
}

function take(slider) {
  if (!slider.typed) return
  slider.typed = false
  const { low, high, whole } = slider.data
  const typed = slider.field.value.trim().replace("\u2212", "-")
  const text = whole ? typed.replace(/[,_ ](?=\d{3}\b)/g, "") : typed.replace(",", ".")
  const value = (whole ? /^[+-]?\d+$/ : /^[+-]?(\d+\.?\d*|\.\d+)$/).test(text) ? Number(text) : NaN
  if (!(value >= low && value <= high)) {
    const kind = whole ? "whole number" : "number"
    say(slider, `Type a ${kind} from ${low.toLocaleString("en")} to ${high.toLocaleString("en")}.`)
    slider.field.setAttribute("aria-invalid", "true")
    return
  }
  say(slider, "")
  go(slider, value)
}

function update(slider) {
  const { data } = slider
  slider.label.textContent = data.label
  slider.root.title = data.help
  slider.range.setAttribute("aria-description", data.help)
  slider.field.setAttribute("aria-label", `${data.label}, exact value`)
  slider.range.max = data.options.length - 1
  for (const input of [slider.range, slider.field]) input.disabled = Boolean(data.disabled)
  slider.root.classList.toggle("lab-disabled", Boolean(data.disabled))
  if (data.disabled) say(slider, data.disabled)
  else if (slider.wasDisabled) say(slider, "")
  slider.wasDisabled = Boolean(data.disabled)
  if (ahead(data.name)) return // the thumb follows the hand, not what the script knew before
  slider.value = data.value
  show(slider, data.value)
}

function show(slider, value) {
  const { options } = slider.data
  slider.range.value = nearest(options, value)
  const filled = options[0] < 0 ? 0 : (100 * slider.range.value) / Math.max(1, options.length - 1)
  slider.range.style.setProperty("--filled", `${filled}%`)
  slider.range.setAttribute("aria-valuetext", String(value))
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
