// Keeps the running order in this browser, where all windows share it: the newest revision counts.

import { elsewhere } from "./elsewhere.js"

export default function mount(component) {
  const root = component.parentElement
  const { name, saved, revision, fresh, unread, longest, session } = component.data
  const own = (root.labOrder ??= listening(root, name))
  if (own.session !== session) own.told = undefined // a server that has started anew knows nothing
  own.session = session
  own.saved = saved
  own.tell = (kept) => {
    own.told = kept
    component.setStateValue("kept", kept.slice(0, longest))
  }
  try {
    const kept = localStorage.getItem(name)
    if (fresh) {
      if (own.told === undefined) own.tell(kept ?? "")
    } else if (kept !== saved) {
      const newer = kept !== null && kept !== own.told && revisionOf(kept) > revision
      if (newer) own.tell(kept)
      else {
        if (unread && kept === own.told) localStorage.setItem(`${name}-unread`, kept)
        localStorage.setItem(name, saved)
      }
    }
  } catch { // no storage here, or no room: the order lasts as long as the session
    if (fresh && own.told === undefined) own.tell("")
  }
  return own.stop
}

function listening(root, name) {
  const own = {}
  const end = elsewhere(name, (text) => { if (text !== own.saved) own.tell(text) })
  own.stop = () => {
    end()
    delete root.labOrder
  }
  return own
}

/** -1 where the text cannot be read. */
function revisionOf(text) {
  try {
    return JSON.parse(text).revision ?? 0
  } catch {
    return -1
  }
}
