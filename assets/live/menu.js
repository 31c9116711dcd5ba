// On a phone the menu covers the page: it closes when another page has been chosen.

const NARROW = 768 // pixels; Streamlit's own limit for a menu over the page

export default function mount(component) {
  const { visit } = component.data
  const before = window.labVisit
  window.labVisit = visit
  if (before === undefined || before === visit || innerWidth >= NARROW) return
  document.querySelector("[data-testid='stSidebar'] [data-testid='stSidebarCollapseButton'] button")?.click()
}
