// Lines from one query to the keys. `data-weights` holds all rows, null where a key is hidden; the query under the pointer or with
// the focus is shown, otherwise the one that is looked at.

export function linked(slot) {
  const follow = ({ target }) => {
    const query = target.closest?.(".lab-links [data-query]")
    if (query) draw(query.closest(".lab-links"), Number(query.dataset.query))
  }
  const leave = ({ target }) => {
    const box = target.closest?.(".lab-links")
    if (!box) return
    const focused = box.querySelector("[data-query]:focus")
    draw(box, Number((focused ?? box).dataset[focused ? "query" : "row"]))
  }
  slot.addEventListener("pointerover", follow)
  slot.addEventListener("focusin", follow)
  slot.addEventListener("pointerout", leave)
  slot.addEventListener("focusout", leave)
}

function draw(box, i) {
  const row = JSON.parse(box.dataset.weights)[i]
  const hidden = row.map((weight) => weight === null)
  box.querySelectorAll("line").forEach((line, j) => {
    line.setAttribute("y1", i + 0.5)
    line.style.setProperty("--w", row[j] ?? 0)
  })
  box.querySelectorAll(".lab-links-to li").forEach((key, j) => {
    key.style.setProperty("--w", row[j] ?? 0)
    key.classList.toggle("lab-hatched", hidden[j])
    key.querySelector("b").textContent = hidden[j] ? "" : row[j].toFixed(2)
  })
  box.querySelectorAll("[data-query]").forEach((query, k) => query.classList.toggle("lab-links-now", k === i))
}
