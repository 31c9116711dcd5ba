// After a break of the connection the page's script runs once more: a server that has started anew, or has
// forgotten a tab that slept for hours, knows nothing of this page until it does.

export default function mount(component) {
  const host = component.parentElement
  host.labComponent = component
  host.labAwake ??= listening(host)
  return () => {
    host.labAwake.disconnect()
    delete host.labAwake
  }
}

function listening(host) {
  const app = document.querySelector("[data-testid=stApp]")
  let away = false
  const observer = new MutationObserver(() => {
    const connected = app.dataset.testConnectionState === "CONNECTED"
    if (connected && away) host.labComponent.setStateValue("back", Date.now())
    away = !connected
  })
  observer.observe(app, { attributeFilter: ["data-test-connection-state"] })
  return observer
}
