// The present state for the phones in the room: its QR code, and its address as it can be typed.

export function showCode(code) {
  const root = document.createElement("div")
  root.className = "lab-lecture-qr"
  root.setAttribute("aria-label", "This state on your own screen. Press any key to go on.")
  const image = document.createElement("img")
  image.alt = "QR code of the address below it"
  image.src = code?.image ?? ""
  image.hidden = !code?.image
  const words = document.createElement("p")
  words.textContent = code?.why_not || (code?.address ?? "").replace(/^https?:\/\//, "")
  root.append(image, words)
  return root
}
