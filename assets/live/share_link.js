// A link to copy, and the frame that shows it inside another page: with the address that the browser knows.

import { copied } from "./clipboard.js"
import { styled } from "./style.js"

const SAID = { label: "Copy", done: "Copied", left: "Copy it from there" }

const FIELDS = [
  ["Link", (address) => address.href],
  ["Frame for a page of a course", (address) => {
    address.searchParams.set("embed", "true")
    const src = address.href.replaceAll("&", "&amp;")
    return `<iframe src="${src}" title="Attention Lab: exercises" width="100%" height="720" loading="lazy"></iframe>`
  }],
]

export default function mount(component) {
  styled()
  const host = component.parentElement
  if (!host.labShare) {
    host.labShare = FIELDS.map(([label]) => field(label))
    host.append(...host.labShare.map(({ root }) => root))
  }
  FIELDS.forEach(([, text], i) => {
    const address = new URL(location.pathname, location.origin)
    address.search = new URLSearchParams(component.data.query)
    const readable = text(address).replaceAll("%2C", ",").replaceAll("%3A", ":") // as a slide shows it
    host.labShare[i].input.value = readable
  })
}

function field(label) {
  const root = document.createElement("div")
  root.className = "lab-share"
  root.innerHTML = `<label>${label}<input type="text" readonly></label><button type="button">${SAID.label}</button>`
  const [input, button] = [root.querySelector("input"), root.querySelector("button")]
  button.setAttribute("aria-label", `Copy: ${label}`)
  input.addEventListener("focus", () => input.select())
  button.addEventListener("click", () => copied(input.value, button, SAID, () => input.focus()))
  return { root, input }
}
