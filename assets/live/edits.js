// Numbers within a picture's words that can be typed over: <input data-setting data-value>. The
// inputs of one setting are its list of numbers, in the order in which they stand. And buttons that
// give a setting a value: <button data-name data-put>.

/** Let move(setting, list) be called when a number has been typed over; say(sentence) if it is none. */
export function editable(slot, move, say) {
  slot.addEventListener("change", ({ target }) => {
    const { setting } = target.dataset
    if (!setting) return
    const value = parsed(target.value)
    target.toggleAttribute("aria-invalid", value === null)
    if (value === null) return say(`“${target.value}” is not a number within ±1,000,000; write it as 0.5 or 1/3.`)
    say("")
    target.dataset.value = value
    const all = [...slot.querySelectorAll(`[data-setting="${setting}"]`)]
    const list = all.map((input) => input.dataset.value).join(",")
    const { within } = target.dataset // a setting that says which list it holds, as "scores:1,0"
    if (within) move(within, `${setting}:${list}`)
    else move(setting, list)
  })
  slot.addEventListener("click", ({ target }) => {
    const { put, name } = target.closest("[data-put]")?.dataset ?? {}
    if (name) move(name, put)
  })
  slot.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.dataset.setting) event.target.blur()
  })
}

/** Replace the slot's HTML; the number or the button that was in use keeps the focus. */
export function replaced(slot, html) {
  const { setting, name } = slot.contains(document.activeElement) ? document.activeElement.dataset : {}
  const alike = setting ? `[data-setting="${setting}"]` : `[data-name="${name}"]`
  const n = [...slot.querySelectorAll(alike)].indexOf(document.activeElement)
  slot.innerHTML = html
  if (n >= 0) slot.querySelectorAll(alike)[n]?.focus()
}

function parsed(text) {
  const [above, below, more] = text.trim().replace("\u2212", "-").replaceAll(",", ".").split("/")
  const plain = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
  if (more !== undefined || !plain.test(above.trim()) || (below !== undefined && !plain.test(below.trim()))) return null
  const value = Number(above) / (below === undefined ? 1 : Number(below))
  return Math.abs(value) <= 1e6 ? String(value) : null
}
