// Keeps the answers in this browser: they survive a reload and a restart of the server.
//
// Several windows share the one place. None writes over what it has not reported to its server first,
// so each server adds the answers of the others to its own, and the last to write has them all.

import { elsewhere } from "./elsewhere.js"

const NAME = "attention-lab-progress"
const LONGEST = 500_001 // one more than the server reads: what is longer is not read either

export default function mount(component) {
  const root = component.parentElement
  const { saved, fresh, unread, session } = component.data
  const own = (root.labProgress ??= listening(root))
  if (own.session !== session) own.mine = own.heard = undefined // a server that has started anew knows nothing
  own.session = session
  own.tell = (kept) => {
    own.heard = kept
    component.setStateValue("kept", kept.slice(0, LONGEST))
  }
  try {
    const kept = localStorage.getItem(NAME)
    if (kept === saved && !fresh) own.mine = kept
    else if (kept !== null && kept !== own.mine && kept !== own.heard) own.tell(kept)
    else if (!fresh) {
      if (unread && kept !== null && kept !== own.mine) localStorage.setItem(`${NAME}-unread`, kept)
      localStorage.setItem(NAME, saved)
      own.mine = saved
      if (kept === null) own.tell(saved) // the server learns that this place is its own
    }
  } catch {
    // No storage here, or no room, as in a private window: the answers last as long as the session.
  }
  return own.stop
}

function listening(root) {
  const own = {}
  const end = elsewhere(NAME, (text) => { if (text !== own.mine) own.tell(text) })
  own.stop = () => {
    end()
    delete root.labProgress
  }
  return own
}
