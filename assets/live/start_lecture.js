// Opens the two windows of a lecture: what is projected, and the presenter's.

import { PROJECTED, address, program, remember } from "./program.js"
import { styled } from "./style.js"

export default function mount(component) {
  styled()
  const host = component.parentElement
  const { links, at, label, presenter } = component.data
  if (!host.labStart) {
    host.labStart = document.createElement("div")
    host.labStart.className = "lab-start"
    host.append(host.labStart)
  }
  const start = anchor(label, address(links[at] ?? ""), PROJECTED, "lab-primary")
  start.addEventListener("click", () => remember(host.labLinks, host.labAt, true))
  host.labLinks = links
  host.labAt = at
  const second = anchor("Presenter's window", address(presenter), "attention-lab-presenter")
  second.addEventListener("click", () => {
    if (JSON.stringify(program()?.links) !== JSON.stringify(links)) remember(links, at)
  })
  host.labStart.replaceChildren(start, second)
}

function anchor(text, href, target, name = "") {
  const link = document.createElement("a")
  link.className = `lab-button ${name}`
  Object.assign(link, { textContent: text, href, target })
  return link
}
