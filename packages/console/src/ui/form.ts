import type { SubmitEvent } from "react"

/** A handler that hands on what a form holds. */
export function sending(send: (form: FormData) => void) {
  return (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    send(new FormData(event.currentTarget))
  }
}

/** The text of a field. */
export function textIn(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === "string" ? value : ""
}
