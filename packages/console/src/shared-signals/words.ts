import type { SharedSignalsStream } from "@assay/client"

export const statusWords: Readonly<Record<SharedSignalsStream["status"], string>> = {
  enabled: "Enabled",
  paused: "Paused",
  disabled: "Disabled",
}

export const statusMeanings: Readonly<Record<SharedSignalsStream["status"], string>> = {
  enabled: "What happens is told.",
  paused: "What happens is held for 30 days, and told once it is enabled.",
  disabled: "What happens is not told, later neither.",
}

export const methodWords: Readonly<Record<SharedSignalsStream["method"], string>> = {
  push: "Sent to it",
  poll: "Fetched by it",
}

type Event = SharedSignalsStream["events"][number]

/** What each event tells a receiver. */
export const eventMeanings: Readonly<Record<Event, string>> = {
  "risk-level-change": "The risk of somebody watched became low, medium or high.",
  "credential-compromise": "A password of somebody watched is in a leak.",
  "session-revoked": "Somebody watched is being attacked: end their sessions.",
  "account-credential-change-required":
    "With every credential-compromise: have them change their password.",
}

/** Those that have others do something, so they are chosen one by one. */
export const ACTING: readonly Event[] = ["session-revoked", "account-credential-change-required"]

/** What went wrong, by its code. */
export function faultWords(code: string): string {
  const status = /^answered-(\d+)$/.exec(code)?.[1]
  return status === undefined ? code.replaceAll(/[-_]/g, " ") : `answered ${status}`
}
