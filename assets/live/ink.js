// What is written on a coloured cell is black or white, whichever stands out more: at least 4.58 to 1
// on any colour. Plotly has a dark grey for black, which on green does not reach that.

/** A cell's colour as Plotly draws it: [red, green, blue]. */
export function cellColour({ colorscale, zmin, zmax }, value) {
  const share = Math.min(1, Math.max(0, (value - zmin) / (zmax - zmin)))
  const above = Math.max(1, colorscale.findIndex(([at]) => at >= share))
  const [[from, low], [to, high]] = [colorscale[above - 1], colorscale[above]]
  const [a, b] = [rgb(low), rgb(high)]
  return a.map((each, i) => Math.round(each + ((b[i] - each) * (share - from)) / (to - from)))
}

/** Black or white on a colour, by the contrast that WCAG 2 defines. */
export function ink(colour) {
  const [r, g, b] = colour.map((each) => {
    const share = each / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b
  return (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) ? "#000" : "#fff"
}

/** Write the digits of a drawn heatmap so, now and whenever Plotly has drawn them anew. */
export function inked(gd) {
  if (gd.labInk) gd.removeListener("plotly_afterplot", gd.labInk)
  gd.labInk = () => {
    for (const label of gd.querySelectorAll(".heatmap-label")) {
      const { trace } = label.closest(".hm").__data__[0]
      const text = label.querySelector("text") ?? label
      text.style.fill = ink(cellColour(trace, label.__data__.z))
    }
  }
  gd.on("plotly_afterplot", gd.labInk)
  gd.labInk()
}

function rgb(colour) {
  if (colour.startsWith("#")) return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))
  return colour.match(/[\d.]+/g).slice(0, 3).map(Number)
}
