import { AssayProblem, AssayUnavailable } from "@assay/client"

/** A failure in words for a person. */
export interface Said {
  readonly title: string
  readonly detail: string
  /** Of the page about this problem; null: there is none. */
  readonly code: string | null
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

/** An error in words for a person; `kept` is what became of a change, null where none was asked. */
export function said(error: unknown, kept: string | null): Said {
  if (error instanceof Told) return error.said
  if (error instanceof AssayProblem) {
    const { code, status, requestId } = error
    if (code === "unauthenticated")
      return { title: "You are signed out", detail: "Sign in again to go on.", code, requestId }
    const isRole = code === "insufficient-role" || code === "insufficient-scope"
    const title = isRole ? "Your role or your plan does not allow this" : error.title
    return { title, detail: sentences(toldIn(error), outcomeOf(status, kept)), code, requestId }
  }
  if (error instanceof AssayUnavailable)
    return {
      title: "The service did not answer",
      detail:
        kept === null
          ? `${error.message}. Nothing was changed. Try again, or see whether the service runs.`
          : `${error.message}. Whether the change was made is not known: load the page again and look before you repeat it.`,
      code: null,
      requestId: null,
    }
  return {
    title: "This page could not be drawn",
    detail: `${error instanceof Error ? error.message : String(error)}. Nothing was changed by this; load the page again.`,
    code: null,
    requestId: null,
  }
}

/** What the service said, and where the request does not fit. */
function toldIn({ detail, errors }: AssayProblem): string {
  const members = errors.map(({ pointer, detail: why }) => `${pointer.slice(2)} ${why}`)
  return [detail ?? "", ...members].filter((text) => text !== "").join(" ")
}

/** A refusal changes nothing; after a fault nobody knows. */
function outcomeOf(status: number, kept: string | null): string {
  if (kept === null) return ""
  return status < 500 ? kept : "A part of it may have been made: look before you repeat it."
}

/** The service may have said the same already. */
function sentences(told: string, outcome: string): string {
  return told.includes(outcome) ? told : `${told} ${outcome}`.trim()
}
