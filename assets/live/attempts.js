// Holds what has been committed and revealed while this window is open, and tells it to a server that has
// started anew.

let known = { session: "", saved: "" }

export default function mount(component) {
  const { saved, session } = component.data
  const forgotten = known.saved && known.session !== session
  known = { session, saved: forgotten ? known.saved : saved }
  if (forgotten) component.setStateValue("kept", known)
}
