// Keeps the answers in this browser: they survive a reload and a restart of the server.

const NAME = "attention-lab-progress"

export default function mount(component) {
  const { saved, fresh } = component.data
  try {
    const kept = localStorage.getItem(NAME)
    // A new session knows nothing yet: it is told what this browser has kept.
    if (fresh && kept) return void component.setStateValue("kept", kept)
    if (!fresh) localStorage.setItem(NAME, saved)
  } catch {
    // No storage here, as in a private window: the answers last as long as the session.
  }
}
