/**
 * Takes all that a person wrote or was given off the page whenever it is left, so that neither the
 * way back nor a session that is restored brings it again. Some browsers keep a page whole; it is
 * then emptied before it is seen.
 */
export function forgetOnLeaving(clear: () => void): void {
  addEventListener("pagehide", clear)
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) clear()
  })
}
