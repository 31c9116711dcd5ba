// Adds the present state of a page to the running order that this browser keeps.

import { styled } from "./style.js"

const KIND = "attention-lab-lecture"
const MOST = 60 // items of an order, as in core.lecture.order
const LONGEST = 1_000_001 // one more than the server reads: what is longer is not read either
const LABEL = "Add to lecture"

export default function mount(component) {
  styled()
  const host = component.parentElement
  if (!host.labAdd) {
    const root = document.createElement("div")
    root.className = "lab-copy"
    root.innerHTML = `<button type="button">${LABEL}</button><span class="lab-hidden" aria-live="polite"></span>`
    host.append(root)
    host.labAdd = root
    root.querySelector("button").addEventListener("click", () => add(root))
  }
  host.labAdd.component = component
}

function add(root) {
  const { name, page, query, title } = root.component.data
  let words
  try {
    const order = kept(name)
    if (order.items.length < MOST) {
      order.items.push({ page, query, name: title, notes: "", minutes: 5 })
      order.revision = (order.revision || 0) + 1
      localStorage.setItem(name, JSON.stringify(order))
      words = `Added as item ${order.items.length}`
    } else words = `Full: ${MOST} items`
  } catch { // no storage here, or no room: the session keeps it, at the end of what is kept here
    root.serial = (root.serial ?? 0) + 1
    root.component.setStateValue("added", { serial: root.serial, kept: readable(name).slice(0, LONGEST) })
    words = "Added in this window"
  }
  const button = root.querySelector("button")
  button.textContent = words
  root.querySelector("span").textContent = words
  clearTimeout(root.later)
  root.later = setTimeout(() => {
    button.textContent = LABEL
    root.querySelector("span").textContent = ""
  }, 2500)
}

function readable(name) {
  try {
    return localStorage.getItem(name) ?? ""
  } catch {
    return ""
  }
}

/** The order in the storage; what cannot be read there is put aside. */
function kept(name) {
  const text = localStorage.getItem(name)
  if (text !== null) {
    try {
      const order = JSON.parse(text)
      if (KIND in order && Array.isArray(order.items)) return order
    } catch { /* put aside below */ }
    localStorage.setItem(`${name}-unread`, text)
  }
  return { [KIND]: 1, revision: 0, title: "My lecture", items: [] }
}
