// A point of a picture that can be dragged, or moved by the arrow keys. The figure's `meta.handle`
// says where it is and which setting it moves.

const STEPS = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }
const STEP = 0.1

export function pointHandle(plot, move) {
  const root = document.createElement("button")
  root.type = "button"
  root.className = "lab-handle"
  plot.canvas.append(root)
  const handle = { root, at: null }
  let grabbed = false
  root.addEventListener("pointerdown", (event) => {
    grabbed = true
    root.setPointerCapture(event.pointerId)
    event.preventDefault() // no zoom box of Plotly's
    event.stopPropagation()
    root.focus()
  })
  root.addEventListener("pointermove", (event) => { if (grabbed) go(plot, move, under(plot, event)) })
  for (const end of ["pointerup", "pointercancel"]) root.addEventListener(end, () => { grabbed = false })
  root.addEventListener("keydown", (event) => {
    if (!STEPS[event.key]) return
    event.preventDefault()
    event.stopPropagation()
    const [right, up] = STEPS[event.key]
    const [x, y] = handle.at
    go(plot, move, [x + right * STEP, y + up * STEP])
  })
  return { update: () => place(plot, handle) }
}

function go(plot, move, point) {
  const { setting, limit } = plot.canvas.layout.meta.handle
  const inside = point.map((x) => Math.min(limit, Math.max(-limit, Math.round(x / STEP) * STEP)))
  move(setting, inside.map((x) => String(Number(x.toFixed(2)))).join(","))
}

function under(plot, event) {
  const { xaxis, yaxis } = plot.canvas._fullLayout
  const box = plot.canvas.getBoundingClientRect()
  return [xaxis.p2d(event.clientX - box.left - xaxis._offset), yaxis.p2d(event.clientY - box.top - yaxis._offset)]
}

function place(plot, handle) {
  const about = plot.canvas.layout.meta?.handle
  handle.root.hidden = !about
  if (!about) return
  handle.at = about.at
  handle.root.setAttribute("aria-label", about.label)
  handle.root.title = about.label
  const { xaxis, yaxis } = plot.canvas._fullLayout
  handle.root.style.left = `${xaxis._offset + xaxis.d2p(about.at[0])}px`
  handle.root.style.top = `${yaxis._offset + yaxis.d2p(about.at[1])}px`
}
