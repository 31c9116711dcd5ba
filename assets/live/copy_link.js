// Copies the link to the present state: the address of this page with every setting in it.

import { styled } from "./style.js"

export default function mount(component) {
  styled()
  const host = component.parentElement
  if (!host.labCopy) {
    const root = document.createElement("div")
    root.className = "lab-copy"
    root.innerHTML = `<button type="button">Copy link</button><input type="text" readonly aria-label="Link to this state" hidden>`
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
  try {
    await navigator.clipboard.writeText(link.href)
    button.textContent = "Link copied"
  } catch { // no permission, or a page served without https: let the person copy it
    field.hidden = false
    field.select()
    button.textContent = "Copy this:"
  }
  setTimeout(() => { button.textContent = "Copy link" }, 2500)
}
