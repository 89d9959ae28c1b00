import { EVENT_KINDS, EVENTS, type EventItem, type EventKind } from "@assay/core/contract"
import type { Band } from "@assay/core/score"

/** What a sink gets: every kind of event, and what is sent to see whether it arrives. */
export type SunkKind = EventKind | "sink.test"

export const SUNK_KINDS: readonly SunkKind[] = [...EVENT_KINDS, "sink.test"]

/** An event as a sink gets it: as its owner does, and with whose it is. */
export interface SunkEvent extends EventItem {
  readonly type: SunkKind
  /** The tenant's name; null: of the service itself. */
  readonly tenant: string | null
}

export type Severity = "informational" | "low" | "medium" | "high" | "critical"

/** What security tools ask of any event, taken from its members once for all formats. */
export interface Finding {
  readonly atMs: number
  readonly title: string
  /** One sentence with the figures, for whoever reads a line of a log. */
  readonly message: string
  readonly severity: Severity
  /** Whether somebody should look at it. */
  readonly isAlert: boolean
  readonly score: number | null
  readonly previousScore: number | null
  readonly band: Band | null
  readonly stage: string | null
  readonly action: string | null
  readonly reasons: readonly string[]
  readonly modelVersion: string | null
  /** The tenant's own name of what it is about. */
  readonly ref: string | null
  /** Only where the tenant asked for it to be delivered. */
  readonly identity: { readonly type: "email" | "phone"; readonly value: string } | null
}

const OF_BAND: Readonly<Record<Band, Severity>> = {
  low: "low",
  elevated: "medium",
  high: "high",
  critical: "critical",
}

/** Of events that have no score. */
const OF_KIND: Partial<Record<SunkKind, Severity>> = {
  "exposure.added": "medium",
  "key.quota_reached": "low",
  "import.failed": "medium",
  "webhook.disabled": "medium",
}

const SINK_TEST = "Sent once to one sink, when an administrator asks for a test."

/** What a member may be, since data is read by its names: a later version may have others. */
type Data = Readonly<Record<string, unknown>>

export function findingOf({ type, timestamp, data }: SunkEvent): Finding {
  const current = objectIn(data, "current") ?? data
  const previous = objectIn(data, "previous")
  const band = textIn(current, "band") as Band | null
  const severity = band === null ? (OF_KIND[type] ?? "informational") : OF_BAND[band]
  return {
    atMs: Date.parse(timestamp),
    title: type === "sink.test" ? SINK_TEST : EVENTS[type].summary,
    message: messageOf(type, data),
    severity,
    isAlert: severity !== "informational" && severity !== "low",
    score: numberIn(current, "risk_score"),
    previousScore: previous && numberIn(previous, "risk_score"),
    band,
    stage: textIn(current, "threat_stage"),
    action: textIn(current, "recommended_action"),
    reasons: textsIn(current, "risk_reasons") ?? textsIn(data, "reasons") ?? [],
    modelVersion: textIn(current, "model_version"),
    ref: textIn(data, "ref"),
    identity: identityOf(type, data),
  }
}

function identityOf(kind: SunkKind, data: Data): Finding["identity"] {
  const value = textIn(data, "identity")
  if (value === null) return null
  const isPhone = kind === "risk.phone.changed" || data["watched"] === "phone"
  return { type: isPhone ? "phone" : "email", value }
}

function messageOf(kind: SunkKind, data: Data): string {
  const said = (name: string): string => {
    const value = data[name]
    return typeof value === "string" || typeof value === "number" ? String(value) : "unknown"
  }
  switch (kind) {
    case "risk.email.changed":
    case "risk.phone.changed":
      return `${said("ref")}: risk score ${standing(data, "previous")} became ${standing(data, "current")} (${said("cause")})`
    case "exposure.added": {
      const many = numberIn(data, "identities")
      const source = textIn(data, "source") ?? "a source that is not named"
      const what = many === null ? "it" : `${many} ${many === 1 ? "address" : "addresses"}`
      return `${said("ref")}: ${source} holds ${what} (${said("kind")})`
    }
    case "decision.critical":
    case "decision.review":
      return `Decision ${said("decision_id")}: ${said("subject")} scored ${said("risk_score")}, ${said("band")}, ${said("recommended_action")}`
    case "key.created":
    case "key.rotated":
    case "key.revoked":
      return `API key ${said("hint")} ${kind.slice("key.".length)} by ${said("actor")}`
    case "key.quota_reached":
      return `API key ${said("hint")} was refused: the ${said("lookups_per_month")} lookups of ${said("month")} are used up`
    case "import.finished":
      return `Import ${said("import_id")} of ${said("source")} is done`
    case "import.failed":
      return `Import ${said("import_id")} of ${said("source")} failed: ${said("code")}`
    case "drop.digest":
      return `New messages in the drop: ${said("new_messages")}; expired unread: ${said("went_unread")}`
    case "webhook.disabled":
      return `Webhook ${said("webhook_id")} was disabled: ${said("reason")}`
    case "webhook.test":
      return `A test of webhook ${said("webhook_id")}`
    case "sink.test":
      return `A test of sink ${said("sink")}`
  }
}

function standing(data: Data, member: "current" | "previous"): string {
  const { risk_score: score, band, threat_stage: stage } = objectIn(data, member) ?? {}
  return [score, band, stage]
    .filter((each) => typeof each === "string" || typeof each === "number")
    .join(" ")
}

function objectIn(data: Data, name: string): Data | null {
  const value = data[name]
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Data)
    : null
}

function textIn(data: Data, name: string): string | null {
  const value = data[name]
  return typeof value === "string" ? value : null
}

function numberIn(data: Data, name: string): number | null {
  const value = data[name]
  return typeof value === "number" ? value : null
}

function textsIn(data: Data, name: string): readonly string[] | null {
  const value = data[name]
  if (!Array.isArray(value)) return null
  return value.filter((each): each is string => typeof each === "string")
}
