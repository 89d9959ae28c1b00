import { AssayProblem, AssayUnavailable } from "@assay/client"

/** A failure in words for a person. */
export interface Said {
  readonly title: string
  readonly detail: string
  readonly requestId: string | null
}

/** A failure that was put into words elsewhere: errors do not pass from one thread to another. */
export class Told extends Error {
  override readonly name = "Told"
  readonly said: Said

  constructor(told: Said) {
    super(told.title)
    this.said = told
  }
}

export function said(error: unknown): Said {
  if (error instanceof Told) return error.said
  if (error instanceof AssayProblem) {
    const { code, detail, requestId, errors } = error
    const members = errors.map(({ pointer, detail: why }) => `${pointer.slice(2)} ${why}`)
    const whole = [detail ?? "", ...members].filter((text) => text !== "").join(" ")
    if (code === "unauthenticated")
      return { title: "You are signed out", detail: "Sign in again to go on.", requestId }
    if (code === "insufficient-role" || code === "insufficient-scope")
      return { title: "Your role does not allow this", detail: whole, requestId }
    return { title: error.message, detail: whole, requestId }
  }
  if (error instanceof AssayUnavailable)
    return {
      title: "The service did not answer",
      detail: `${error.message}. Nothing is known about what was asked; a change may have been made or not.`,
      requestId: null,
    }
  return {
    title: "This page could not be drawn",
    detail: `${error instanceof Error ? error.message : String(error)}. Nothing was changed by this; load the page again.`,
    requestId: null,
  }
}
