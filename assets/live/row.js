// One row of a heatmap in large digits: what a lecture shows where cells are too small for digits of
// their own. It is the row of the cell that is looked at, in each matrix that marks it.

import { cellColour, ink } from "./ink.js"

const LONGEST = 12 // characters of a token
const OUTLINE = { color: "#ff3ea5", width: 2 } // as core/figures/theme.py marks what is looked at
let pen = null // measures text without a layout of the page

/** The rows to be told, as [matrix, query]; null where the digits stand in the cells, or there are none. */
export function rowsOf({ data, layout }) {
  const { meta, xaxis, yaxis } = layout
  if (!meta?.cells || data.some(({ texttemplate }) => texttemplate)) return null
  const rows = new Map()
  for (const { type, x0, y0 } of layout.shapes ?? []) {
    const [row, column] = [Math.ceil(y0), Math.ceil(x0)]
    if (type !== "rect" || row > yaxis.range[0] || row < yaxis.range[1] || column < xaxis.range[0] || column > xaxis.range[1]) continue
    rows.set(Math.floor(row / meta.stride[0]) * meta.columns + Math.floor(column / meta.stride[1]), row % meta.stride[0])
  }
  if (rows.size === 0 && meta.looked_at) rows.set(...meta.looked_at)
  return [...rows]
}

/** Frame a row in its matrix, if it is told and nothing is marked. */
export function framed({ layout }, rows) {
  if (layout.shapes?.length) return
  layout.shapes = rows.map(([tile, query]) => {
    const [row, column] = corner(layout.meta, tile, query)
    return { type: "rect", x0: column - 0.5, x1: column + layout.meta.key_tokens.length - 0.5, y0: row - 0.5, y1: row + 0.5, line: OUTLINE }
  })
}

/** Write the rows of a drawn picture: all keys, or those with the largest values for which there is room. */
export function tell(strip, gd, rows) {
  const { meta } = gd.layout
  const told = rows.map(([tile, query]) => {
    const [row, column] = corner(meta, tile, query)
    const name = meta.names?.[tile] ?? `head ${meta.heads[tile]}`
    return { name, cells: meta.key_tokens.map((_, key) => cell(gd, row, column + key)) }
  })
  const query = rows[0][1]
  const who = `query ${query} “${short(meta.query_tokens[query])}”`
  const alone = told.length === 1
  const box = strip.firstElementChild
  const { keys, labels } = chosen(box, meta.key_tokens, told, alone ? 0 : Math.max(...told.map(({ name }) => name.length)))
  const n = meta.key_tokens.length
  const left = keys.length < n ? ` (the ${keys.length} largest of ${n} keys)` : ""
  const table = document.createElement("table")
  const caption = table.createCaption()
  caption.textContent = `${alone ? `${told[0].name}, ` : ""}${who}: ${meta.stage}${left}`
  const head = table.createTHead().insertRow()
  if (!alone) head.insertCell()
  for (const key of keys) add(head, "th", labels[key])
  const body = table.createTBody()
  for (const { name, cells } of told) {
    const line = body.insertRow()
    if (!alone) add(line, "th", name)
    for (const key of keys) {
      const at = add(line, "td", cells[key].text)
      Object.assign(at.style, cells[key].look)
      at.classList.toggle("lab-hatched", cells[key].value === null)
    }
  }
  box.replaceChildren(table)
}

function chosen(box, tokens, told, nameLength) {
  const style = getComputedStyle(box)
  const size = parseFloat(style.fontSize)
  pen ??= document.createElement("canvas").getContext("2d")
  pen.font = `600 ${size}px ${style.fontFamily}`
  const wide = (text) => pen.measureText(text).width
  const room = box.clientWidth - nameLength * size * 0.55
  const digits = Math.max(...told.flatMap(({ cells }) => cells.map(({ text }) => wide(text))))
  const numbered = tokens.map((token, i) => `${i} ${short(token)}`)
  const widths = (labels) => labels.map((label) => Math.max(wide(label), digits) + 0.6 * size)
  const sum = (values) => values.reduce((all, each) => all + each, 0)
  const all = tokens.map((_, key) => key)
  for (const labels of [numbered, tokens.map(short)]) if (sum(widths(labels)) <= room) return { keys: all, labels }
  const each = widths(numbered)
  const largest = (key) => Math.max(...told.map(({ cells }) => Math.abs(cells[key].value ?? 0)))
  const kept = []
  let used = 0
  for (const key of all.sort((a, b) => largest(b) - largest(a))) {
    if (used + each[key] > room) break
    kept.push(key)
    used += each[key]
  }
  return { keys: kept.sort((a, b) => a - b), labels: numbered }
}

function corner({ stride, columns }, tile, query) {
  return [Math.floor(tile / columns) * stride[0] + query, (tile % columns) * stride[1]]
}

function cell(gd, row, column) {
  for (const [i, { z }] of gd.data.entries()) {
    const value = (z._inputArray ?? z)[row]?.[column]
    if (value === null || value === undefined || Number.isNaN(Number(value))) continue
    const text = gd.layout.meta.whole ? String(value) : fixed(Number(value))
    return { value: Number(value), text, look: look(gd._fullData[i], Number(value)) }
  }
  return { value: null, text: "", look: {} }
}

/** A cell's colours as in the picture. */
function look(trace, value) {
  const colour = cellColour(trace, value)
  return { background: `rgb(${colour.join(", ")})`, color: ink(colour) }
}

/** Two digits after the point; no minus before a zero. */
const fixed = (value) => value.toFixed(2).replace(/^-(?=0\.00$)/, "").replace("-", "−")

const short = (token) => ([...token].length > LONGEST ? `${[...token].slice(0, LONGEST - 1).join("")}…` : token)

function add(row, kind, text) {
  const cell = document.createElement(kind)
  cell.textContent = text
  row.append(cell)
  return cell
}
