// Changes under the hand: from a slider or a cell straight to the pictures, past the page's script.
//
// A change asks the server for the pictures of the new state: one request in flight, the newest
// state always last. The answer depends on nothing but the question, so none can be lost or come
// out of order. When the hand has been still for a moment, the page's script is told; it then
// writes the link, asks PyTorch, and draws the same pictures again.
//
// The script may be busy when it is told, or hear only the later of two reports. So each report is
// numbered and holds all that the script has not yet said it has heard.

const QUIET_MS = 350
const TIMEOUT_MS = 4000

const plots = new Map() // key -> function that draws a picture
const watchers = new Set() // functions that show a setting, whoever has changed it
let view = "" // the address that answers
let query = {} // the state that the page's script last told
let changes = {} // what the hand has changed since the last report
let unheard = {} // what has been reported, and the script has not heard yet
let serial = 0 // of the last report
let asking = false
let again = false
let report = null // tells the page's script
let quiet = 0

/** The page's script has told its state. */
export function told(data) {
  const address = new URL(data.view, document.baseURI).href
  if (address !== view) { // another page: what was under way belongs to the one before
    clearTimeout(quiet)
    changes = {}
    unheard = {}
  }
  view = address
  query = data.query
  heard(data.heard)
  if (!pending()) return
  ask() // it did not know the latest changes yet
  wait()
}

/** The page's script has heard the reports up to this number. */
export function heard(number) {
  if (number >= serial) unheard = {}
}

/** A setting has changed under the hand; tell(report) passes all changes to the page's script. */
export function change(name, value, tell) {
  changes[name] = value
  report = tell
  for (const watch of watchers) watch(name, value)
  ask()
  wait()
}

/** Whether pictures of a newer state than the script's are on their way. */
export function pending() {
  return Object.keys(changes).length + Object.keys(unheard).length > 0
}

/** Whether the hand has changed this setting and the script does not know it yet. */
export function ahead(name) {
  return name in changes || name in unheard
}

/** Let draw(picture) be called with each new picture of this key; returns how to stop it. */
export function register(key, draw) {
  plots.set(key, draw)
  return () => { if (plots.get(key) === draw) plots.delete(key) }
}

/** Let show(name, value) be called with each change. */
export function watch(show) {
  watchers.add(show)
}

function wait() {
  clearTimeout(quiet)
  quiet = setTimeout(() => {
    if (asking || again) return wait()
    if (!pending()) return
    unheard = { ...unheard, ...changes }
    changes = {}
    serial += 1
    report({ serial, values: unheard })
  }, QUIET_MS)
}

async function ask() {
  again = true
  if (asking) return
  asking = true
  let answer = question()
  while (answer) {
    const pictures = await answer
    answer = again ? question() : null // the server works on the next while this one is drawn
    for (const [key, picture] of Object.entries(pictures)) plots.get(key)?.(picture)
    if (!answer && again) answer = question()
  }
  asking = false
}

async function question() {
  again = false
  const hand = { ...unheard, ...changes }
  try {
    const response = await fetch(view, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ query: { ...query, ...hand }, changed: Object.keys(hand) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return response.ok ? await response.json() : {}
  } catch {
    return {} // the server is away or slow: the page's script is told in any case, and draws later
  }
}
