// Changes under the hand: from a slider or a cell straight to the pictures, past the page's script.
//
// A change asks the server for the pictures of the new state: one request in flight, the newest
// state always last. The answer depends on nothing but the question, so none can be lost or come
// out of order. When the hand has been still for a moment, the page's script is told, once; it then
// writes the link, asks PyTorch, and draws the same pictures again.

const QUIET_MS = 350
const TIMEOUT_MS = 4000

const plots = new Map() // key -> function that draws a picture
let view = "" // the address that answers
let query = {} // the state that the page's script last told
let changes = {} // what the hand has changed since
let asking = false
let again = false
let report = null // tells the page's script
let quiet = 0

/** The page's script has told its state. */
export function told(data) {
  view = new URL(data.view, document.baseURI).href
  query = data.query
  if (pending()) ask() // it did not know the latest changes yet
}

/** A setting has changed under the hand; tell(changes) passes all changes to the page's script. */
export function change(name, value, tell) {
  changes[name] = value
  report = tell
  ask()
  wait()
}

/** Whether pictures of a newer state than the script's are on their way. */
export function pending() {
  return Object.keys(changes).length > 0
}

/** Let draw(picture) be called with each new picture of this key; returns how to stop it. */
export function register(key, draw) {
  plots.set(key, draw)
  return () => { if (plots.get(key) === draw) plots.delete(key) }
}

function wait() {
  clearTimeout(quiet)
  quiet = setTimeout(() => {
    if (asking || again) return wait()
    const told = changes
    changes = {}
    if (Object.keys(told).length) report(told)
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
  try {
    const response = await fetch(view, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...query, ...changes }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return response.ok ? await response.json() : {}
  } catch {
    return {} // the server is away or slow: the page's script is told in any case, and draws later
  }
}
