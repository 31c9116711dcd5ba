// Our stylesheet, loaded once, from beside this file.

let link

export function styled() {
  if (link?.isConnected) return
  link = document.createElement("link")
  link.rel = "stylesheet"
  link.href = new URL("./live.css", import.meta.url).href
  document.head.append(link)
}
