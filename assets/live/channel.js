// One request in flight, the newest value last.
//
// Every message to the server carries a sequence number. The next message waits until the picture
// that answers the last one has been painted, so the server is never asked for more than can be
// shown. Values that come meanwhile replace each other. Should an answer never come (a lost
// connection), a timeout lets the next message go.

const TIMEOUT_MS = 2000
const QUIET_MS = 350

let inFlight = 0
let timeout = 0
let quiet = 0
let last = Date.now() // so that numbers also rise across a reload of the page
let plots = 0
const waiting = new Map()

/** Send soon: deliver(sequence) is called when it is this sender's turn, unless replaced before. */
export function send(sender, deliver) {
  waiting.set(sender, deliver)
  clearTimeout(quiet)
  pump()
}

/** Call once when nothing has been sent for a moment and everything sent has been painted. */
export function whenQuiet(action) {
  clearTimeout(quiet)
  quiet = setTimeout(() => (busy() ? whenQuiet(action) : action()), QUIET_MS)
}

/** The picture that answers this sequence number is on the screen. */
export function painted(sequence) {
  if (!inFlight || sequence < inFlight) return
  clearTimeout(timeout)
  inFlight = 0
  pump()
}

/** A control has been answered. Where a plot is on the page, the plot's painting counts instead. */
export function answered(sequence) {
  if (plots === 0) requestAnimationFrame(() => painted(sequence))
}

export function plotMounted() {
  plots += 1
  return () => { plots -= 1 }
}

export function busy() {
  return inFlight !== 0 || waiting.size > 0
}

function pump() {
  if (inFlight || waiting.size === 0) return
  const [sender, deliver] = waiting.entries().next().value
  waiting.delete(sender)
  last = Math.max(last + 1, Date.now())
  inFlight = last
  timeout = setTimeout(() => painted(inFlight), TIMEOUT_MS)
  deliver(inFlight)
}
