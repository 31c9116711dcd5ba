// What a page shows, read from what Plotly has drawn. The same code reads our page and the plain one.
//
// A value counts as drawn when every head's heatmap holds the weights that core.trace computes for it
// and its image is on the page; the time is that of the next animation frame.

window.bench = (() => {
  let heads = 0
  let weights = [] // [d_k, one weight of each head: the one at (row, 0)]
  let row = 0
  let result = null
  let log = null
  let happened = 0 // when the last event of the hand was

  /** The plots: {plot, z}, a z for each head. */
  function tiles() {
    const ours = document.querySelector(".lab-canvas")
    if (!ours) {
      return [...document.querySelectorAll(".js-plotly-plot")].map((plot) => ({ plot, z: matrix(plot)?.[row]?.[0] }))
    }
    const meta = ours.layout?.meta
    const z = matrix(ours)
    if (!meta || !z) return []
    return meta.heads.map((_, i) => {
      const [down, right] = [Math.floor(i / meta.columns) * meta.stride[0], (i % meta.columns) * meta.stride[1]]
      return { plot: ours, z: z[down + row]?.[right] }
    })
  }

  function matrix(plot) {
    return plot.querySelector(".heatmaplayer image") && plot.calcdata?.[0]?.[0]?.z
  }

  /** The d_k that all heads show, or null. */
  function shown() {
    const all = tiles()
    if (all.length !== heads) return null
    const fits = (expected) => all.every(({ z }, i) => Math.abs(z - expected[i]) < 1e-6)
    return weights.find(([, expected]) => fits(expected))?.[0] ?? null
  }

  function bitmaps() {
    return new Set([...document.querySelectorAll(".heatmaplayer image")].map((image) => image.href.baseVal))
  }

  /** Wait for a key, then for a picture of d_k in which no old bitmap is left. */
  function arm(d_k, timeout) {
    const old = bitmaps()
    result = new Promise((resolve) => {
      addEventListener("keydown", ({ timeStamp }) => {
        const look = () => {
          const now = performance.now()
          if (shown() === d_k && [...bitmaps()].every((one) => !old.has(one))) return resolve(now - timeStamp)
          if (now - timeStamp > timeout) return resolve(null)
          requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      }, { once: true, capture: true })
    })
  }

  /** Note which value was asked for when, and when each new value was on the screen. */
  function record(slider) {
    log = { events: 0, asked: [], painted: [], recording: true }
    for (const name of ["pointerdown", "pointermove"]) {
      addEventListener(name, ({ timeStamp }) => {
        happened = timeStamp
        log.events += 1
      }, true)
    }
    addEventListener("input", () => log.asked.push([happened, value(slider)]))
    let last = shown()
    const look = () => {
      const now = shown()
      if (now !== null && now !== last) log.painted.push([performance.now(), (last = now)])
      if (log.recording) requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  }

  /** Fire input events at their times; of those that are due together only the last, as browsers do. */
  function fire(slider, path, seconds, rate) {
    const input = document.querySelector(slider)
    const start = performance.now()
    let done = -1
    return new Promise((resolve) => {
      const tick = () => {
        const due = Math.floor(((performance.now() - start) * rate) / 1000)
        if (due >= seconds * rate) return resolve()
        if (due > done) {
          done = due
          happened = start + (due * 1000) / rate
          log.events += 1
          input.value = path[due % path.length]
          input.dispatchEvent(new Event("input", { bubbles: true }))
        }
        setTimeout(tick, Math.max(0, start + ((done + 1) * 1000) / rate - performance.now()))
      }
      tick()
    })
  }

  function value(slider) {
    const input = document.querySelector(slider)
    return Number(input.getAttribute("aria-valuetext") ?? input.value)
  }

  return {
    expect: (n, at, table) => { [heads, row, weights] = [n, at, table] },
    arm,
    result: () => result,
    shown,
    value,
    record,
    fire,
    stop: () => {
      log.recording = false
      return log
    },
  }
})()

// From the start of the navigation to the frame after the first heatmap.
window.benchFirst = new Promise((resolve) => {
  const look = () => (document.querySelector(".heatmaplayer image") ? resolve(performance.now()) : requestAnimationFrame(look))
  requestAnimationFrame(look)
})
