import { useEffect, useRef, useState } from "react"

/**
 * What the panel beside a list shows. While it slides out it shows what it showed; once it is
 * closed the focus is on the link that opened it.
 */
export function useOpened(id: string | null): string | null {
  const [shown, setShown] = useState(id)
  if (id !== null && id !== shown) setShown(id)
  const last = useRef(id)
  useEffect(() => {
    if (id === null && last.current !== null) focusLink(last.current)
    last.current = id
  }, [id])
  return shown
}

/** What was opened by its address may stand on another page of the list. */
function focusLink(id: string): void {
  const target = document.getElementById(linkId(id)) ?? document.querySelector(".table-wrap")
  if (target instanceof HTMLElement) target.focus()
}

/** The element that opens something of a list, to which the focus comes back. */
export function linkId(id: string): string {
  return `open-${id}`
}
