// A link to copy, and the frame that shows it inside another page: with the address that the browser knows.

import { copied } from "./clipboard.js"
import { styled } from "./style.js"

const SAID = { label: "Copy", done: "Copied", left: "Copy it from there" }

const frame = (address, before, after) => {
  address.searchParams.set("embed", "true")
  return `${before}${readable(address.href).replaceAll("&", "&amp;")}${after}`
}
const FIELDS = {
  link: ["Link", (address) => readable(address.href)],
  frame: ["Frame for a page of a course", (address) => frame(address, '<iframe src="',
    '" title="Attention Lab" width="100%" height="720" loading="lazy" allow="clipboard-write"></iframe>')],
  slide: ["Slide for reveal.js", (address) => frame(address, '<section data-background-iframe="',
    '" data-background-interactive></section>')],
}

export default function mount(component) {
  styled()
  const host = component.parentElement
  const { query, fields = ["link", "frame"] } = component.data
  if (!host.labShare) {
    host.labShare = fields.map((name) => field(FIELDS[name][0]))
    host.append(...host.labShare.map(({ root }) => root))
  }
  fields.forEach((name, i) => {
    const address = new URL(location.pathname, location.origin)
    address.search = new URLSearchParams(query)
    host.labShare[i].input.value = FIELDS[name][1](address)
  })
}

/** As a slide shows it. */
const readable = (text) => text.replaceAll("%2C", ",").replaceAll("%3A", ":")

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
