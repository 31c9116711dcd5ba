// Cells of a heatmap, or entries of a list, each to be picked or not. A press picks, and a drag paints
// over several what the press did to the first.

import { element, taken } from "./answer_parts.js"

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }

export function cells(answer) {
  const { data, root } = answer
  const list = data.rows.length === 1
  const grid = data.rows.map((row, i) => data.options.map((column, j) => cell(answer, list, i, j)))
  const box = element("div", list ? "lab-entries" : "lab-grid")
  box.append(...(list ? grid[0] : [table(data, grid)]))
  const all = grid.flat()
  const has = (i, j) => answer.value.picked.some(([row, column]) => row === i && column === j)
  const none = element("button", "lab-pick", { type: "button" }, list ? "none of them" : "no cell")
  const count = element("output", "lab-sum")
  const foot = element("div", "lab-answer-foot")
  foot.append(count, none)
  root.append(box, foot)

  const put = (button, on, wait) => {
    const [i, j] = [Number(button.dataset.row), Number(button.dataset.column)]
    if (has(i, j) === on) return
    answer.value.picked = answer.value.picked.filter(([row, column]) => row !== i || column !== j)
    if (on) answer.value.picked.push([i, j])
    answer.value.none = false
    answer.hand(wait)
  }
  const pressed = (button) => button.getAttribute("aria-pressed") === "true"
  none.addEventListener("click", () => {
    answer.value.none = !answer.value.none
    answer.value.picked = []
    answer.hand(0)
  })
  painted(box, pressed, put, () => { if (answer.dirty) answer.changed(0) })
  moved(box, grid, all)
  all.forEach((button, n) => { button.tabIndex = n ? -1 : 0 })
  return () => {
    for (const button of all) button.setAttribute("aria-pressed", has(Number(button.dataset.row), Number(button.dataset.column)))
    none.setAttribute("aria-pressed", answer.value.none)
    const n = answer.value.picked.length
    const what = list ? "entries" : "cells"
    count.textContent = n || answer.value.none ? `${n} of ${all.length} ${what} picked.` : `Pick ${what}: press, or drag over several.`
  }
}

function cell(answer, list, i, j) {
  const { rows, options } = answer.data
  const name = list ? options[j] : `query ${rows[i]}, key ${options[j]}`
  const button = element("button", "lab-cell", { type: "button", "aria-label": name, "data-row": i, "data-column": j })
  if (list) button.textContent = options[j]
  return button
}

function table({ rows, options }, grid) {
  const made = element("table")
  const head = element("tr")
  head.append(element("td", "lab-corner", {}, "queries ↓"), ...options.map((name) => element("th", "", { scope: "col" }, name)))
  made.append(element("caption", "", {}, "keys →"), head)
  grid.forEach((buttons, i) => {
    const line = element("tr")
    line.append(element("th", "", { scope: "row" }, rows[i]))
    for (const button of buttons) {
      const place = element("td")
      place.append(button)
      line.append(place)
    }
    made.append(line)
  })
  return made
}

function painted(box, pressed, put, ended) {
  let on = null // what this stroke does
  let done = null // the press has toggled this one already, so its click must not
  box.addEventListener("pointerdown", (event) => {
    const button = event.target.closest(".lab-cell")
    if (!button || event.button !== 0) return
    // A finger's events would all go to the cell that it touched first.
    if (event.target.hasPointerCapture(event.pointerId)) event.target.releasePointerCapture(event.pointerId)
    done = button
    on = !pressed(button)
    put(button, on)
  })
  box.addEventListener("pointermove", (event) => {
    if (on === null) return
    const button = document.elementFromPoint(event.clientX, event.clientY)?.closest(".lab-cell")
    if (button && box.contains(button)) put(button, on)
  })
  for (const end of ["pointerup", "pointercancel"]) {
    window.addEventListener(end, () => {
      if (on === null) return
      on = null
      ended()
    })
  }
  box.addEventListener("click", (event) => {
    const button = event.target.closest(".lab-cell")
    if (button && button !== done) put(button, !pressed(button))
    done = null
  })
}

/** One stop for the Tab key; the arrow keys go from cell to cell. */
function moved(box, grid, all) {
  const wide = grid.length === 1 // entries may stand in several lines: up and down go on and back too
  box.addEventListener("keydown", (event) => {
    const step = STEPS[event.key]
    const at = event.target.closest(".lab-cell")
    if (!step || !at || event.ctrlKey || event.altKey || event.metaKey) return
    const [i, j] = [Number(at.dataset.row), Number(at.dataset.column)]
    const next = wide ? grid[0][j + step[0] + step[1]] : grid[i + step[0]]?.[j + step[1]]
    taken(event)
    next?.focus()
  })
  box.addEventListener("focusin", (event) => {
    if (event.target.matches(".lab-cell")) for (const each of all) each.tabIndex = each === event.target ? 0 : -1
  })
}
