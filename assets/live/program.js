// What the windows of a lecture share: the links of its items, and which of them is projected.

export const PROJECTED = "attention-lab-projected" // the name of the projected window
export const CHANNEL = "attention-lab-lecture"
const NAME = "attention-lab-program"
let own = null // what this window has said last, where the browser could not keep it

/** What the windows say to each other; where the browser has no such thing, each is alone. */
export function channel(name, hear) {
  try {
    const found = new BroadcastChannel(name)
    found.onmessage = ({ data }) => hear(data)
    return found
  } catch {
    return { postMessage() {}, close() {} }
  }
}

/** { links, at, opening }, or null where no lecture has been started. */
export function program() {
  if (own) return own
  try {
    const found = JSON.parse(localStorage.getItem(NAME))
    if (Array.isArray(found?.links) && Number.isInteger(found.at) && found.at in found.links) return found
  } catch { /* as if there were none */ }
  return null
}

/** Note which item is projected; `opening`, where a link to it is just being followed to the projected window. */
export function remember(links, at, opening = false) {
  const said = { links, at, ...(opening ? { opening: at } : {}) }
  try {
    localStorage.setItem(NAME, JSON.stringify(said))
    own = null
  } catch { // this window alone knows
    own = said
  }
}

/** A link of an item as an address of this app, whatever page asks; a link to elsewhere leads to Home. */
export function address(link) {
  const root = new URL("./", document.baseURI)
  const found = new URL(`./${link}`, root)
  return (found.href.startsWith(root.href) ? found : root).href
}

/** A link of an item as it is projected: in the light theme at once, where this browser would take the dark one. */
export function onStage(link) {
  const found = new URL(address(link))
  if (matchMedia("(prefers-color-scheme: dark)").matches) found.searchParams.set("embed_options", "light_theme")
  return found.href
}

/** The first and the last panel that an item shows: its link says "2-4", or where it begins and no end. */
export function panels(link) {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(link.searchParams.get("lecture")) ?? [null, 1, Infinity]
  return [Number(first), Number(last)]
}
