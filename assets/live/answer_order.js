// Cards to be put in order: dragged, moved by their buttons, or by keys. A card in motion stays where it
// is in the document and the others are moved around it, so it keeps the focus and the pointer.

import { element, taken } from "./answer_parts.js"

const STEPS = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }

export function order(answer) {
  const { data, root } = answer
  const list = element("ol", "lab-order-cards")
  const spoken = element("div", "lab-answer-hidden", { "aria-live": "assertive" })
  const said = element("output", "lab-sum")
  const keep = element("button", "lab-pick", { type: "button" }, "this order is right")
  const foot = element("div", "lab-answer-foot")
  foot.append(said, keep)
  const cards = data.options.map((name, i) => card(name, i))
  list.append(...cards.map((each) => each.root))
  root.append(list, foot, spoken)

  const places = () => [...list.children].map((each) => Number(each.dataset.card))
  const go = (each, to, wait) => {
    const from = [...list.children].indexOf(each.root)
    if (to < 0 || to >= cards.length || to === from) return
    for (let n = from; n < to; n += 1) list.insertBefore(each.root.nextSibling, each.root)
    for (let n = from; n > to; n -= 1) list.insertBefore(each.root.previousSibling, each.root.nextSibling)
    answer.value.order = places()
    answer.hand(wait)
    spoken.textContent = `${each.name}, place ${to + 1} of ${cards.length}`
  }
  const by = (each, step) => go(each, [...list.children].indexOf(each.root) + step)
  keep.addEventListener("click", () => {
    answer.value.order = places()
    answer.hand(0)
  })
  for (const each of cards) {
    each.up.addEventListener("click", () => by(each, -1))
    each.down.addEventListener("click", () => by(each, 1))
    keys(each, (step) => by(each, step), (text) => { spoken.textContent = text })
    dragged(list, each, (to) => go(each, to), () => { if (answer.dirty) answer.changed(0) })
  }
  return () => {
    const held = answer.value.order ?? data.options.map((_, i) => i)
    if (held.join() !== places().join()) list.append(...held.map((i) => cards[i].root))
    places().forEach((i, place) => {
      const { name, grip, up, down } = cards[i]
      grip.setAttribute("aria-label", `${name}, place ${place + 1} of ${cards.length}`)
      up.setAttribute("aria-disabled", place === 0) // not disabled: it would lose the focus
      down.setAttribute("aria-disabled", place === cards.length - 1)
    })
    keep.setAttribute("aria-pressed", answer.value.order !== null)
    said.textContent = answer.value.order
      ? "Top first."
      : "Top first. Drag the cards, or use the arrows. They lie as dealt: that is no answer yet."
  }
}

function card(name, i) {
  const root = element("li", "", { "data-card": i })
  const grip = element("button", "lab-grip", {
    type: "button", "aria-pressed": "false", "aria-description": "Space takes the card, arrow keys move it, Space puts it down",
  })
  grip.append(element("span", "", { "aria-hidden": "true" }, "⠿"), element("span", "", {}, name))
  const [up, down] = [["▲", "up"], ["▼", "down"]].map(([sign, way]) =>
    element("button", "lab-move", { type: "button", "aria-label": `Move ${name} ${way}` }, sign))
  root.append(grip, up, down)
  return { name, root, grip, up, down }
}

function keys({ name, grip }, by, say) {
  const take = (on) => {
    grip.setAttribute("aria-pressed", on)
    say(on ? `${name} taken: arrow keys move it, Space puts it down` : `${name} put down`)
  }
  const taking = () => grip.getAttribute("aria-pressed") === "true"
  grip.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey) return
    if (event.key === " " || event.key === "Enter") take(!taking())
    else if (event.key === "Escape" && taking()) take(false)
    else if (STEPS[event.key] && (event.altKey || taking())) by(STEPS[event.key])
    else return
    taken(event)
  })
  grip.addEventListener("blur", () => grip.setAttribute("aria-pressed", "false"))
}

function dragged(list, { root, grip }, go, ended) {
  let hold = 0 // how far below the card's top it is held
  const move = (event) => {
    root.style.transform = ""
    const all = [...list.children]
    const from = all.indexOf(root)
    const top = event.clientY - hold
    // Another card gives way when half of it is covered.
    const before = all.filter((each, n) => n < from && middle(each) < top)
    const passed = all.filter((each, n) => n > from && middle(each) < top + root.offsetHeight)
    go(before.length + passed.length)
    root.style.transform = `translateY(${top - root.getBoundingClientRect().top}px)`
  }
  const end = () => {
    document.removeEventListener("pointermove", move)
    root.classList.remove("lab-held-card")
    root.style.transform = ""
    ended()
  }
  grip.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return
    hold = event.clientY - root.getBoundingClientRect().top
    root.classList.add("lab-held-card")
    document.addEventListener("pointermove", move)
    for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, end, { once: true })
  })
}

function middle(card) {
  const { top, height } = card.getBoundingClientRect()
  return top + height / 2
}
