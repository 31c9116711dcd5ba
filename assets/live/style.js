// Our stylesheets, from beside this file.

/** The one that every live component needs, loaded once. */
export function styled() {
  if (document.getElementById("lab-style")) return // an exported page holds it in itself
  sheet("live.css").id = "lab-style"
}

/** Return the link that loads a stylesheet. */
export function sheet(name) {
  const link = document.createElement("link")
  link.rel = "stylesheet"
  link.href = new URL(`./${name}`, import.meta.url).href
  document.head.append(link)
  return link
}
