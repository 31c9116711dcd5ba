// Our stylesheet, loaded once, from beside this file.

export function styled() {
  if (document.getElementById("lab-style")) return // an exported page holds it in itself
  const link = document.createElement("link")
  link.id = "lab-style"
  link.rel = "stylesheet"
  link.href = new URL("./live.css", import.meta.url).href
  document.head.append(link)
}
