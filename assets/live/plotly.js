// Plotly itself, loaded once, from beside this file.

let loading

export function loadPlotly() {
  if (window.Plotly) return Promise.resolve(window.Plotly)
  return (loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script")
    script.src = new URL("./plotly.min.js", import.meta.url).href
    script.onload = () => resolve(window.Plotly)
    script.onerror = () => {
      loading = undefined
      reject(new Error("The drawing library did not load. Reload the page."))
    }
    document.head.append(script)
  }))
}
