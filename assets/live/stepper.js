// Steps through the stages of a picture: by button, and by PageDown, PageUp and the arrow keys.

import { turn } from "./keys.js"
import { ahead, change, told } from "./live.js"
import { panel } from "./stage.js"
import { styled } from "./style.js"

const STEPS = { PageDown: 1, ArrowRight: 1, PageUp: -1, ArrowLeft: -1 }

export default function mount(component) {
  styled()
  const host = component.parentElement
  const stepper = (host.labStepper ??= build(host))
  stepper.component = component
  stepper.data = component.data
  told(component.data)
  if (!ahead(component.data.name)) stepper.value = component.data.value
  show(stepper)
  stepper.listen ??= listen(stepper)
}

function build(host) {
  const root = document.createElement("div")
  root.className = "lab-stepper"
  root.setAttribute("role", "group")
  root.innerHTML = `
    <button type="button" class="lab-back">‹ Back</button>
    <ol></ol>
    <button type="button" class="lab-next">Next ›</button>
    <div class="lab-hidden" aria-live="polite"></div>`
  host.append(root)
  const stepper = {
    root,
    back: root.querySelector(".lab-back"),
    next: root.querySelector(".lab-next"),
    list: root.querySelector("ol"),
    spoken: root.querySelector("[aria-live]"),
  }
  stepper.back.addEventListener("click", () => go(stepper, stepper.value - 1))
  stepper.next.addEventListener("click", () => go(stepper, stepper.value + 1))
  return stepper
}

/** Keys work wherever the focus is, except where they mean something else. */
function listen(stepper) {
  const press = (event) => {
    if (!stepper.root.isConnected) return document.removeEventListener("keydown", press)
    if (!stepper.root.checkVisibility()) return
    if (panel()) { // a lecture goes through the steps, then on to the next panel
      if (go(stepper, stepper.value + turn(event))) event.preventDefault()
      return
    }
    const by = STEPS[event.key]
    if (!by || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    const at = document.activeElement
    if (at?.closest("input:not([type=range]), textarea, select, [contenteditable], [role=combobox]")) return
    const page = event.key.startsWith("Page")
    if (!page && at !== document.body && !stepper.root.contains(at)) return
    if (go(stepper, stepper.value + by)) event.preventDefault()
  }
  document.addEventListener("keydown", press)
  return press
}

function go(stepper, value) {
  const { name, labels } = stepper.data
  if (value === stepper.value || value < 0 || value >= labels.length) return false
  stepper.value = value
  show(stepper)
  stepper.spoken.textContent = `Step ${value + 1} of ${labels.length}: ${labels[value]}`
  change(name, value, (report) => stepper.component.setStateValue("changes", report))
  return true
}

function show(stepper) {
  const { labels, label } = stepper.data
  stepper.root.setAttribute("aria-label", label)
  stepper.root.classList.toggle("lab-named", stepper.data.numbered === false)
  if (stepper.labels !== labels.join("\n")) {
    stepper.labels = labels.join("\n")
    stepper.list.replaceChildren(...labels.map((text, i) => {
      const item = document.createElement("li")
      const button = document.createElement("button")
      button.type = "button"
      button.textContent = text
      button.addEventListener("click", () => go(stepper, i))
      item.append(button)
      return item
    }))
  }
  stepper.back.disabled = stepper.value === 0
  stepper.next.disabled = stepper.value === labels.length - 1
  const ways = [stepper.back.disabled ? "" : "back", stepper.next.disabled ? "" : "on"].filter(Boolean).join(" ")
  if (stepper.root.dataset.labSteps !== ways) stepper.root.dataset.labSteps = ways
  stepper.list.querySelectorAll("button").forEach((button, i) => {
    button.classList.toggle("lab-past", i < stepper.value)
    if (i === stepper.value) button.setAttribute("aria-current", "step")
    else button.removeAttribute("aria-current")
  })
}
