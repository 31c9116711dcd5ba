// Copies the link to the present state: the address of this page with every setting in it.

import { copied } from "./clipboard.js"
import { styled } from "./style.js"

const SAID = { label: "Copy link", done: "Link copied", left: "Copy this:" }

export default function mount(component) {
  styled()
  const host = component.parentElement
  if (!host.labCopy) {
    const root = document.createElement("div")
    root.className = "lab-copy"
    root.innerHTML = `<button type="button">${SAID.label}</button><input type="text" readonly aria-label="Link to this state" hidden>`
    host.append(root)
    host.labCopy = root
    root.querySelector("button").addEventListener("click", () => copy(root))
  }
  host.labCopy.query = component.data.query
}

async function copy(root) {
  const link = new URL(location.href)
  // The page's own parameters (hidden controls, embedding) stay; the state replaces the rest.
  const kept = ["embed", "embed_options", "lecture", "hide"].flatMap((name) =>
    link.searchParams.getAll(name).map((value) => [name, value]))
  link.search = new URLSearchParams([...Object.entries(root.query), ...kept]).toString()
  const button = root.querySelector("button")
  const field = root.querySelector("input")
  field.value = link.href
  await copied(link.href, button, SAID, () => {
    field.hidden = false
    field.select()
  })
}
