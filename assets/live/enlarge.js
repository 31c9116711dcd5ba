// Makes a figure's type, lines and margins larger, for a projector. What is measured in units of the
// data or in shares of the picture stays.

const LEAST_PX = 13 // type that a figure may have on a page; larger by the same factor, it is 24 px
const LENGTHS = ["standoff", "thickness", "ticklen", "xshift", "yshift", "xpad", "ypad", "pad", "ax", "ay", "tracegroupgap", "itemwidth"]

export function enlarge({ data, layout }, by) {
  for (const trace of data) grow(trace, by, "trace")
  grow(layout, by, "layout")
}

function grow(node, by, name) {
  for (const [key, value] of Object.entries(node)) {
    if (value && typeof value === "object" && !value.bdata && key !== "meta") {
      if (key === "size" && Array.isArray(value)) node.size = value.map((each) => each * by)
      else if (!Array.isArray(value) || typeof value[0] === "object") grow(value, by, Array.isArray(value) ? name : key)
    } else if (typeof value !== "number") continue
    else if (/font$/i.test(name)) node[key] = key === "size" ? Math.max(value, LEAST_PX) * by : value
    else if (key === "size" && name === "marker") node[key] = value * by
    else if (key === "width" && name === "line") node[key] = value * by
    else if (name === "margin" || LENGTHS.includes(key)) node[key] = value * by
  }
}
