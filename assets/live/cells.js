// Reading a tiled heatmap cell by cell: by pointer, by keyboard, always in the same sentence.

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }

export function cellReader(plot, choose) {
  const frame = document.createElement("div")
  frame.className = "lab-cell-frame"
  plot.canvas.append(frame)
  const reader = { frame, at: null, key: null }

  plot.canvas.addEventListener("pointermove", (event) => point(plot, reader, event))
  plot.canvas.addEventListener("pointerleave", () => {
    reader.at = null
    render(plot, reader)
  })
  // Plotly's drag layer swallows clicks; a press and release at one place is one.
  let pressed = null
  plot.canvas.addEventListener("pointerdown", (event) => { pressed = [event.clientX, event.clientY] }, true)
  window.addEventListener("pointerup", (event) => {
    const still = pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 5
    pressed = null
    if (!still || event.button !== 0) return
    const cell = cellAt(plot, event)
    if (cell) choose([headOf(plot, cell), cell.query, cell.key])
  }, true)
  plot.canvas.addEventListener("keydown", (event) => press(plot, reader, event, choose))
  plot.canvas.addEventListener("focus", () => render(plot, reader))
  plot.canvas.addEventListener("blur", () => {
    reader.key = null
    render(plot, reader)
  })
  return { update: () => render(plot, reader) }
}

function meta(plot) {
  return plot.canvas.layout.meta
}

function shape(plot) {
  return { queries: meta(plot).query_tokens.length, keys: meta(plot).key_tokens.length, tiles: meta(plot).heads.length }
}

function headOf(plot, cell) {
  return meta(plot).heads[cell.tile]
}

function cellAt(plot, event) {
  const { xaxis, yaxis } = plot.canvas._fullLayout
  const box = plot.canvas.getBoundingClientRect()
  const x = event.clientX - box.left - xaxis._offset
  const y = event.clientY - box.top - yaxis._offset
  if (x < 0 || y < 0 || x > xaxis._length || y > yaxis._length) return null
  const [rowStride, columnStride] = meta(plot).stride
  const column = Math.round(xaxis.p2d(x))
  const row = Math.round(yaxis.p2d(y))
  const cell = {
    tile: Math.floor(row / rowStride) * meta(plot).columns + Math.floor(column / columnStride),
    query: row % rowStride,
    key: column % columnStride,
  }
  return valid(plot, cell) ? cell : null
}

function valid(plot, { tile, query, key }) {
  const { queries, keys, tiles } = shape(plot)
  return tile >= 0 && tile < tiles && query >= 0 && query < queries && key >= 0 && key < keys
}

function place(plot, { tile, query, key }) {
  const [rowStride, columnStride] = meta(plot).stride
  const { columns } = meta(plot)
  return [Math.floor(tile / columns) * rowStride + query, (tile % columns) * columnStride + key]
}

function point(plot, reader, event) {
  reader.at = cellAt(plot, event)
  render(plot, reader)
}

function press(plot, reader, event, choose) {
  const { queries, keys, tiles } = shape(plot)
  const cell = reader.key && valid(plot, reader.key) ? reader.key : { tile: 0, query: 0, key: 0 }
  if (STEPS[event.key]) {
    const [down, right] = reader.key ? STEPS[event.key] : [0, 0]
    cell.query = Math.min(queries - 1, Math.max(0, cell.query + down))
    cell.key = Math.min(keys - 1, Math.max(0, cell.key + right))
  } else if (event.key === "[" || event.key === "]") {
    cell.tile = (cell.tile + (event.key === "]" ? 1 : tiles - 1)) % tiles
  } else if (event.key === "Enter" && reader.key) {
    choose([headOf(plot, cell), cell.query, cell.key])
  } else return
  event.preventDefault()
  reader.key = cell
  render(plot, reader)
  plot.spoken.textContent = sentence(plot, cell)
}

function render(plot, reader) {
  if (!plot.canvas._fullLayout?.xaxis) return
  const cell = [reader.at, reader.key].find((each) => each && valid(plot, each))
  reader.frame.hidden = !cell
  plot.readout.textContent = cell ? sentence(plot, cell) : hint(plot)
  if (!cell) return
  const { xaxis, yaxis } = plot.canvas._fullLayout
  const [row, column] = place(plot, cell)
  const left = xaxis.d2p(column - 0.5)
  const right = xaxis.d2p(column + 0.5)
  const top = yaxis.d2p(row - 0.5)
  const bottom = yaxis.d2p(row + 0.5)
  reader.frame.hidden = left < -1 || top < -1 || right > xaxis._length + 1 || bottom > yaxis._length + 1
  Object.assign(reader.frame.style, {
    left: `${xaxis._offset + left}px`,
    top: `${yaxis._offset + top}px`,
    width: `${right - left}px`,
    height: `${bottom - top}px`,
  })
}

function hint(plot) {
  const { keys, queries } = shape(plot)
  if (plot.canvas.matches(":focus-visible")) {
    return `Arrow keys read cells, [ and ] change the head${plot.options.choosable ? ", Enter explains the cell" : ""}`
  }
  if (!plot.options.choosable) return `${queries} ${queries === 1 ? "query" : "queries"} by ${keys} ${keys === 1 ? "key" : "keys"}`
  if (meta(plot).hint) return meta(plot).hint
  return matchMedia("(pointer: coarse)").matches ? "Tap a cell to see its arithmetic" : "Click a cell to see its arithmetic"
}

function sentence(plot, cell) {
  const { query_tokens: queries, key_tokens: keys, heads, names } = meta(plot)
  const [row, column] = place(plot, cell)
  const tile = names?.[cell.tile] ?? `head ${heads[cell.tile]}`
  const value = plot.canvas.data.map((trace) => number(trace.z, row, column)).find((z) => !Number.isNaN(z))
  const shown = value === undefined ? (meta(plot).blank ?? "hidden by the mask") : `${meta(plot).stage} ${meta(plot).whole ? value : digits(value)}`
  return `${tile}: query ${cell.query} “${queries[cell.query]}” (row) attends to key ${cell.key} “${keys[cell.key]}” (column): ${shown}`
}

function number(z, row, column) {
  const rows = z._inputArray ?? z
  const value = rows[row]?.[column]
  return value === null || value === undefined ? NaN : Number(value)
}

function digits(value) {
  if (value !== 0 && Math.abs(value) < 0.0001) return value.toExponential(2)
  return value.toFixed(4)
}
