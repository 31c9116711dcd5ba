// A Plotly figure that stays: one instance, updated in place by Plotly.react, so that zoom and
// hover survive and nothing flickers.

import { change, heard, pending, register } from "./live.js"
import { loadPlotly } from "./plotly.js"
import { fitted } from "./fit.js"
import { cellReader } from "./cells.js"
import { editable, replaced } from "./edits.js"
import { pointHandle } from "./handle.js"
import { inked } from "./ink.js"
import { linked } from "./links.js"
import { roving } from "./roving.js"
import { framed, rowsOf, tell } from "./row.js"
import { CHANGED, panel, view } from "./stage.js"
import { styled } from "./style.js"

const SECONDARY_MS = 120 // a secondary plot is redrawn at most this often while a slider moves
const WORDS_MS = 100 // the words beside a plot, too: laying them out costs as much as the plot
const AFTER_PAINT_MS = 20 // and not before the others are on the screen

export default async function mount(component) {
  styled()
  const host = component.parentElement
  const plot = (host.labPlot ??= build(host))
  plot.component = component
  plot.options = component.data
  plot.colours = colours(plot.root)
  plot.root.classList.toggle("lab-choosable", Boolean(component.data.choosable))
  heard(component.data.heard)
  plot.unregister ??= register(component.data.key, (picture) => show(plot, picture))
  await loadPlotly()
  // While the hand moves, the script's picture is of the past; the route's next one is not.
  if (!plot.picture || !pending()) show(plot, component.data)
  else draw(plot) // in the colours of a changed theme
  // Streamlit runs this at once, too, when the next call is on its way before this one has come to its end.
  return () => { if (!plot.root.isConnected) remove(plot) }
}

function build(host) {
  const root = document.createElement("div")
  root.className = "lab-plot"
  root.innerHTML = `
    <div class="lab-main">
      <div class="lab-canvas" tabindex="0"></div>
      <div class="lab-row" hidden><div></div></div>
      <div class="lab-note" role="status"></div>
      <div class="lab-foot">
        <div class="lab-readout"></div>
        <span class="lab-tools">
          <button type="button" class="lab-reset">Reset zoom</button>
          <button type="button" class="lab-png">Save PNG</button>
        </span>
      </div>
      <div class="lab-hidden" aria-live="polite"></div>
      <div class="lab-below"></div>
    </div>
    <div class="lab-beside"></div>`
  host.append(root)
  const plot = {
    root,
    canvas: root.querySelector(".lab-canvas"),
    row: root.querySelector(".lab-row"),
    readout: root.querySelector(".lab-readout"),
    note: root.querySelector(".lab-note"),
    spoken: root.querySelector(".lab-hidden"),
    slots: { below: root.querySelector(".lab-below"), beside: root.querySelector(".lab-beside") },
    filled: {},
    scrolled: { below: {}, beside: {} }, // by slot and number of the box
    drawn: 0, // when it was last drawn
    worded: 0, // when its words were last filled in
  }
  root.querySelector(".lab-reset").addEventListener("click", () => resetZoom(plot))
  root.querySelector(".lab-png").addEventListener("click", () => savePng(plot))
  for (const [name, slot] of Object.entries(plot.slots)) {
    editable(slot, (setting, value) => move(plot, setting, value), (sentence) => { plot.note.textContent = sentence })
    roving(slot)
    linked(slot)
    slot.addEventListener("scroll", ({ target }) => {
      const number = [...slot.querySelectorAll(".lab-scroll")].indexOf(target)
      plot.scrolled[name][number] = [target.scrollLeft, target.scrollTop]
    }, true)
  }
  plot.resize = new ResizeObserver(() => {
    const width = plot.canvas.clientWidth
    if (width && Math.abs(width - plot.width) > 1) redraw(plot)
  })
  plot.resize.observe(plot.canvas)
  plot.redraw = () => redraw(plot)
  document.addEventListener(CHANGED, plot.redraw)
  return plot
}

function show(plot, picture) {
  if (same(plot.picture, picture) && plot.themed === plot.colours.text + plot.colours.background) return
  plot.picture = picture
  plot.root.classList.toggle("lab-two", Boolean(picture.beside))
  plot.root.classList.toggle("lab-even", Boolean(picture.even))
  clearTimeout(plot.later)
  if (!plot.options.secondary || !pending()) return draw(plot)
  const wait = Math.max(AFTER_PAINT_MS, plot.drawn + SECONDARY_MS - performance.now())
  plot.later = setTimeout(() => draw(plot), wait)
}

/** Show the HTML that goes with the figure: at once, or a little later while the hand moves. */
function words(plot) {
  clearTimeout(plot.wordsLater)
  const wait = pending() ? plot.worded + WORDS_MS - performance.now() : 0
  if (wait <= 0) return fill(plot)
  plot.wordsLater = setTimeout(() => fill(plot), wait)
}

/** What has not changed keeps its scroll and selection. */
function fill(plot) {
  plot.worded = performance.now()
  for (const [name, slot] of Object.entries(plot.slots)) {
    const html = plot.picture[name] ?? ""
    if (html === plot.filled[name]) continue
    replaced(slot, html)
    plot.filled[name] = html
    const boxes = slot.querySelectorAll(".lab-scroll")
    for (const [i, place] of Object.entries(plot.scrolled[name])) boxes[i]?.scrollTo(...place)
  }
}

/** Whether nothing of a picture is new: on a page with several, a change seldom touches all. */
function same(before, picture) {
  return before && ["figure", "alt", "beside", "below"].every((name) => before[name] === picture[name])
}

/** The room has changed. */
function redraw(plot) {
  plot.width = 0
  if (plot.tile !== panel()?.tile && plot.canvas._fullLayout) window.Plotly.purge(plot.canvas) // it leaves legends behind
  plot.tile = panel()?.tile
  if (plot.picture) draw(plot)
}

function draw(plot) {
  const { picture } = plot
  if (!plot.root.isConnected) return
  plot.themed = plot.colours.text + plot.colours.background
  plot.root.classList.toggle("lab-words", !picture.figure)
  if (!picture.figure) return fill(plot) // the words are the picture
  // Measured once for each width: asking the browser makes it lay out the page.
  const width = (plot.width ||= plot.canvas.clientWidth)
  if (!width) return fill(plot) // a lecture shows another panel, or the words of this one
  if (panel()) fill(plot) // what stands below takes its room first
  plot.row.hidden = true
  const fit = (numbered) => fitted(JSON.parse(picture.figure), width, plot.colours, view(plot.canvas, numbered))
  let figure = fit(false)
  const rows = panel() ? rowsOf(figure) : null
  if (rows) { // its cells are too small for digits: a row takes its room first, and has the keys' names
    plot.row.style.setProperty("--rows", rows.length)
    plot.row.hidden = !rows.length
    figure = fit(true)
    framed(figure, rows)
  }
  const cells = figure.layout.meta?.cells
  plot.drawn = performance.now()
  plot.canvas.setAttribute("role", cells ? "application" : "img")
  plot.canvas.setAttribute("aria-label", picture.alt + (cells ? " Arrow keys read it cell by cell, [ and ] change the head, Enter explains the cell." : ""))
  window.Plotly.react(plot.canvas, figure.data, figure.layout, {
    displayModeBar: false, // its buttons cannot be reached by keyboard; ours below can
    doubleClick: "reset",
    scrollZoom: false, // the wheel scrolls the page
    showTips: false,
  })
  if (figure.data.some(({ texttemplate }) => texttemplate)) inked(plot.canvas)
  if (rows?.length) tell(plot.row, plot.canvas, rows)
  if (cells) {
    plot.cells ??= cellReader(plot, (cell) => choose(plot, cell))
    plot.cells.update()
  }
  if (figure.layout.meta?.handle) {
    plot.handle ??= pointHandle(plot, (setting, value) => move(plot, setting, value))
    plot.handle.update()
  }
  words(plot) // last: the browser then lays out the page once, not once for us and once for Plotly
}

function choose(plot, cell) {
  if (plot.options.choosable) move(plot, "cell", cell.join(","))
}

function move(plot, setting, value) {
  change(setting, value, (report) => plot.component.setStateValue("changes", report))
}

function resetZoom(plot) {
  const ranges = {}
  for (const name of Object.keys(plot.canvas.layout).filter((key) => /^[xy]axis/.test(key))) {
    const { _rangeInitial0: low, _rangeInitial1: high } = plot.canvas._fullLayout[name]
    if (low !== undefined && high !== undefined) ranges[`${name}.range`] = [low, high]
    else ranges[`${name}.autorange`] = true
  }
  window.Plotly.relayout(plot.canvas, ranges)
}

function savePng(plot) {
  window.Plotly.downloadImage(plot.canvas, {
    format: "png",
    scale: 2,
    width: plot.canvas.clientWidth,
    height: plot.canvas.clientHeight,
    filename: plot.picture.fileName,
  })
}

function colours(element) {
  const style = getComputedStyle(element)
  const read = (name, otherwise) => style.getPropertyValue(name).trim() || otherwise
  return {
    text: read("--st-text-color", "#16202e"),
    background: read("--st-background-color", "#ffffff"),
    grid: read("--st-border-color", "#d5dae3"),
    font: read("--st-font", "sans-serif"),
  }
}

function remove(plot) {
  plot.unregister()
  plot.resize.disconnect()
  document.removeEventListener(CHANGED, plot.redraw)
  clearTimeout(plot.later)
  clearTimeout(plot.wordsLater)
  window.Plotly?.purge(plot.canvas)
}
