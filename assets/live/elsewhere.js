// What the other windows of this browser write into the storage.

/** Hear each text that another window writes under a name. Returns what ends that. */
export function elsewhere(name, hear) {
  const changed = ({ key, newValue }) => { if (key === name && newValue !== null) hear(newValue) }
  window.addEventListener("storage", changed)
  return () => window.removeEventListener("storage", changed)
}
