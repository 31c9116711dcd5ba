// Fits a figure to the room and the theme it is shown in: colours, label density, digits.

import { enlarge } from "./enlarge.js"

const LABEL_PX = 13 // room that one axis label needs
const NUMBER_PX = 17 // a label of two digits that lies
const DIGITS_PX = 36 // room that "0.00" needs
const SUM_PX = 32 // room that a row's sum needs between two matrices
const NARROW_PX = 480 // a phone, or a column on a small screen
const WIDE_PX = 1500 // a projector, or a large screen
const LEGEND_PX = 66 // room for the last colour legend
const NEXT_LEGEND_PX = 88 // and for each before it, its title included
const LEGENDS_ABOVE_PX = 56 // and for legends that lie above the matrices on a phone
const TITLE_PX = 20 // a matrix's own title
const ROOM_ABOVE_PX = 290 // what stands above and below a picture on a large screen
const NUMBERS_PX = 46 // below the matrices, for numbers and the axis title
const STAGE_LABEL_PX = 16 // from one label to the next on a projector
const LETTER_PX = 7.5 // of a title
const GAP_PX = 5 // between a legend's title and its ticks
const STAGE_DIGITS_PX = 29 // on a projector a digit has the size of a label: room for "-0.00", before it is made larger

/** The stage says how much larger a lecture draws, in which height; without one, as on a page. */
export function fitted(figure, width, colours, stage) {
  const { data, layout } = figure
  layout.paper_bgcolor = colours.background
  layout.plot_bgcolor = colours.background
  layout.font = { ...layout.font, color: colours.text, family: colours.font }
  layout.width = width
  for (const [name, axis] of Object.entries(layout)) {
    if (!/^[xy]axis/.test(name)) continue
    axis.gridcolor = axis.zerolinecolor = axis.linecolor = colours.grid
    axis.tickcolor = colours.grid
  }
  const touch = matchMedia("(pointer: coarse)").matches
  layout.dragmode = touch ? false : "zoom" // a finger scrolls the page
  if (stage) return staged(figure, width, stage)
  if (width < NARROW_PX) {
    layout.font.size = 12
    patch(layout, "narrow")
  }
  if (width > WIDE_PX) patch(layout, "wide")
  if (layout.meta?.cells) fitCells(data, layout, width)
  return figure
}

/** On a projector: what a lecture changes, all larger, as high as there is room. */
function staged(figure, width, { by, height, tile, numbered }) {
  const { data, layout } = figure
  patch(layout, "lecture")
  layout.height = height / by
  if (layout.meta?.cells) {
    if (tile !== null) alone(data, layout, tile)
    if (numbered) number(layout)
    fitCells(data, layout, width / by, height / by)
  }
  layout.height = Math.round(layout.height * by)
  layout.width = width
  enlarge(figure, by)
  for (const { colorbar } of data) if (colorbar?.title?.side === "top" && colorbar.orientation !== "h") apart(colorbar.title, by)
  return figure
}

function patch(layout, name) {
  for (const [path, value] of Object.entries(layout.meta?.[name] ?? {})) put(layout, path.split("."), value)
}

/** Show one matrix of several. */
function alone(data, layout, tile) {
  const { xaxis, yaxis, meta } = layout
  const [rows, columns] = meta.stride
  const top = Math.floor(tile / meta.columns) * rows
  const left = (tile % meta.columns) * columns
  const queries = meta.query_tokens.length
  const keys = meta.key_tokens.length
  const within = ({ x, y }) => x >= left - 0.5 && x < left + keys && y >= top - 1 && y < top + queries
  layout.annotations = layout.annotations.filter(within)
  const sums = layout.annotations.some(({ name }) => name === "sum")
  xaxis.range = [left - 0.5, left + keys - 0.5 + (sums ? 0.9 : 0)]
  yaxis.range = [top + queries - 0.5, top - 0.5]
  const only = meta.shows?.[tile] // of several traces, the one that this matrix is drawn by
  if (only !== undefined) data.splice(0, data.length, data[only])
}

/** Keep a legend's title off its highest tick: Plotly's own distance does not grow with the type. */
function apart(title, by) {
  title.text += `<br><span style="font-size:${Math.round(GAP_PX * by)}px">&nbsp;</span>`
}

/** Number the columns: their names, at a slant, would take the height of several cells. */
function number({ xaxis, margin }) {
  xaxis.ticktext = xaxis.ticktext.map((label) => label.match(/^\d+/)?.[0] ?? label)
  xaxis.tickangle = 0
  margin.b = NUMBERS_PX
}

function put(target, path, value) {
  const last = path.pop()
  path.reduce((at, name) => (at[name] ??= {}), target)[last] = value
}

function fitCells(data, layout, width, stageHeight = 0) {
  const { xaxis, yaxis, meta, margin } = layout
  if (width < NARROW_PX && !stageHeight) {
    for (const side of ["l", "b"]) margin[side] = Math.round(margin[side] * 0.8)
    for (const title of layout.annotations) title.font.size = 11
  }
  // Beside the matrices, two legends would take most of a phone's width.
  const above = meta.legends === "above" && data.length > 1 && (width < NARROW_PX || stageHeight > 0)
  if (above) margin.t += LEGENDS_ABOVE_PX
  const columns = xaxis.range[1] - xaxis.range[0]
  const rows = yaxis.range[0] - yaxis.range[1]
  margin.r = above ? 8 : LEGEND_PX + NEXT_LEGEND_PX * (data.length - 1)
  const room = width - margin.l - margin.r
  // As tall as its cells are wide, within what fits on a projected page.
  const most = stageHeight || Math.max(layout.height, Math.min(innerHeight - ROOM_ABOVE_PX, 1000))
  const tallest = most - margin.t - margin.b
  const cell = Math.min(room / columns, tallest / rows)
  layout.height = Math.round(cell * rows + margin.t + margin.b)
  // Square cells, the legend beside them; a lecture has them in the middle.
  if (stageHeight) margin.l += Math.max(0, Math.floor((width - margin.l - margin.r - cell * columns) / 2))
  margin.r = Math.floor(width - margin.l - cell * columns)
  if (cell < SUM_PX) layout.annotations = layout.annotations.filter(({ name }) => name !== "sum")
  thin(xaxis, meta.stride[1], xaxis.tickangle === 0 ? cell * LABEL_PX / NUMBER_PX : cell)
  thin(yaxis, meta.stride[0], stageHeight ? (cell * LABEL_PX) / STAGE_LABEL_PX : cell)
  if (stageHeight) shorten(layout.annotations, cell * (meta.stride[1] || Infinity))
  data.forEach((trace, i) => {
    if (cell < (stageHeight ? STAGE_DIGITS_PX : DIGITS_PX)) delete trace.texttemplate
    else if (trace.texttemplate) trace.textfont.size = Math.min(26, Math.max(12, Math.round(cell * 0.26)))
    if (above) {
      const share = 1 / data.length
      Object.assign(trace.colorbar, {
        orientation: "h", x: i * share, xanchor: "left", xpad: 0, len: share - 0.08, thickness: 8,
        y: 1 + TITLE_PX / (cell * rows), yanchor: "bottom", ypad: 0, tickfont: { size: 11 }, nticks: 4,
      })
    } else trace.colorbar.x = 1 + (i * NEXT_LEGEND_PX) / (cell * columns)
  })
}

/** Of a matrix's title that would run into the next one, keep the name: "head 3" of "head 3 · KV 1". */
function shorten(titles, room) {
  for (const title of titles) {
    const { length } = title.text.replace(/<[^>]*>/g, "")
    if (length * LETTER_PX > room) title.text = title.text.replace(/ · [^<]*/, "")
  }
}

/** Keep every n-th label where all of them would touch. */
function thin(axis, stride, cell) {
  const every = Math.ceil(LABEL_PX / cell)
  if (every === 1) return
  const kept = axis.tickvals.map((at, i) => [at, axis.ticktext[i]]).filter(([at]) => (at % stride) % every === 0)
  axis.tickvals = kept.map(([at]) => at)
  axis.ticktext = kept.map(([, label]) => label)
}
