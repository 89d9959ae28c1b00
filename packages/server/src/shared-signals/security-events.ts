import type { EventData, EventKind } from "@assay/core/contract"
import type { Band } from "@assay/core/score"
import type { StoredEvent } from "@assay/stores/records-events"
import type { SharedStream, StreamNote } from "@assay/stores/records-shared-signals"

const OPENID = "https://schemas.openid.net/secevent"

/** The events that receivers can ask for, by the names that owners know them by. */
export const EVENT_TYPES = {
  "risk-level-change": `${OPENID}/caep/event-type/risk-level-change`,
  "session-revoked": `${OPENID}/caep/event-type/session-revoked`,
  "credential-compromise": `${OPENID}/risc/event-type/credential-compromise`,
  "account-credential-change-required": `${OPENID}/risc/event-type/account-credential-change-required`,
} as const
export type EventName = keyof typeof EVENT_TYPES
export const EVENT_NAMES = Object.keys(EVENT_TYPES) as readonly EventName[]

/** What a stream gets unless it asks for more: these tell, and have nobody do anything. */
export const TOLD_ALWAYS: readonly EventName[] = ["risk-level-change", "credential-compromise"]

/** Okta's own form of a change of risk. It takes nothing else of these but ends of sessions. */
export const OKTA_RISK = "https://schemas.okta.com/secevent/okta/event-type/user-risk-change"
const OKTA_TYPES: Readonly<Partial<Record<EventName, string>>> = {
  "risk-level-change": OKTA_RISK,
  "session-revoked": EVENT_TYPES["session-revoked"],
}

/** The kinds of events that anything follows from. */
export const SOURCE_KINDS = [
  "risk.email.changed",
  "risk.phone.changed",
  "exposure.added",
] as const satisfies readonly EventKind[]

/** RFC 9493. Never the identity itself: a tenant knows whom its own name means. */
export type Subject =
  | { readonly format: "iss_sub"; readonly iss: string; readonly sub: string }
  | { readonly format: "opaque"; readonly id: string }

/** What one security event token says, without what depends on when and by whom it is signed. */
export interface SecurityEvent {
  /** The same whenever it is made again. */
  readonly jti: string
  /** The event it follows from, by which webhooks and sinks know it. */
  readonly txn: string
  readonly type: string
  readonly subject: Subject
  readonly event: Readonly<Record<string, unknown>>
  /** Where Okta looks for the subject. */
  readonly subjectInside: boolean
}

type Mapped = Pick<SharedStream, "dialect" | "events" | "id" | "subjectFormat" | "subjectIssuer">

/** The names of the events that a stream gets: what was asked for and is known. */
export function deliveredNames({ events, dialect }: Pick<Mapped, "events" | "dialect">) {
  return EVENT_NAMES.filter(
    (name) => events.includes(EVENT_TYPES[name]) && (dialect === "standard" || name in OKTA_TYPES),
  )
}

/** As the stream is told them. */
export function typeOf(name: EventName, dialect: SharedStream["dialect"]): string {
  return (dialect === "okta" ? OKTA_TYPES[name] : undefined) ?? EVENT_TYPES[name]
}

export function subjectOf(
  ref: string,
  { subjectFormat, subjectIssuer }: Pick<Mapped, "subjectFormat" | "subjectIssuer">,
  issuer: string,
): Subject {
  return subjectFormat === "opaque"
    ? { format: "opaque", id: ref }
    : { format: "iss_sub", iss: subjectIssuer ?? issuer, sub: ref }
}

/** What a stream is told of an event: several things, one, or nothing. */
export function securityEventsOf(
  event: StoredEvent,
  stream: Mapped,
  issuer: string,
): SecurityEvent[] {
  const { id, ref, kind } = event
  if (ref === null) return []
  const subject = subjectOf(ref, stream, issuer)
  const delivered = new Set(deliveredNames(stream))
  const told: Partial<Record<EventName, object>> =
    kind === "exposure.added" ? exposureTold(event) : changeTold(event, stream.dialect)
  return EVENT_NAMES.flatMap((name) => {
    const about = told[name]
    if (about === undefined || !delivered.has(name)) return []
    return {
      jti: `${id}.${name}`,
      txn: id,
      type: typeOf(name, stream.dialect),
      subject,
      event: { ...about },
      subjectInside: stream.dialect === "okta",
    }
  })
}

const LEVELS: Readonly<Record<Band, "LOW" | "MEDIUM" | "HIGH">> = {
  low: "LOW",
  elevated: "MEDIUM",
  high: "HIGH",
  critical: "HIGH",
}

/** `initiating_entity`: nobody pressed a button, a policy was followed. */
const common = (atMs: number, reason: string) => ({
  event_timestamp: Math.floor(atMs / 1000),
  initiating_entity: "policy",
  reason_admin: { en: reason },
})

function changeTold(
  { kind, data, at }: StoredEvent,
  dialect: SharedStream["dialect"],
): Partial<Record<EventName, object>> {
  if (kind !== "risk.email.changed" && kind !== "risk.phone.changed") return {}
  const { previous, current, cause } = data as EventData<"risk.email.changed">
  const [before, now] = [LEVELS[previous.band], LEVELS[current.band]]
  const became = `The risk score ${previous.risk_score} became ${current.risk_score} (${cause}).`
  const level = (word: string): string => (dialect === "okta" ? word.toLowerCase() : word)
  const isAttacked =
    kind === "risk.email.changed" &&
    current.threat_stage === "ATTACKED" &&
    previous.threat_stage !== "ATTACKED"
  return {
    // High and critical are one level here, so that not every change of a band is one.
    ...(before !== now && {
      "risk-level-change": {
        ...(dialect === "standard" && { principal: "USER" }),
        current_level: level(now),
        previous_level: level(before),
        ...(dialect === "standard" &&
          current.risk_reasons.length > 0 && { risk_reason: current.risk_reasons.join("; ") }),
        ...common(at, became),
      },
    }),
    ...(isAttacked && {
      "session-revoked": common(at, `${became} The account is being attacked.`),
    }),
  }
}

function exposureTold({ data, at }: StoredEvent): Partial<Record<EventName, object>> {
  const { password, watched } = data as EventData<"exposure.added">
  if (password !== true || watched === "domain") return {}
  const reason = { en: "A password of this account is in data that was added." }
  return {
    "credential-compromise": {
      credential_type: "password",
      event_timestamp: Math.floor(at / 1000),
      reason_admin: reason,
    },
    // It has no members of its own.
    "account-credential-change-required": {},
  }
}

/** What a stream is told about itself; its subject is the stream. */
export function noteEvent(note: StreamNote, streamId: string): SecurityEvent {
  return {
    jti: note.id,
    txn: note.id,
    type: `${OPENID}/ssf/event-type/${note.kind}`,
    subject: { format: "opaque", id: streamId },
    event: note.data,
    subjectInside: false,
  }
}

/**
 * The claims of a token (RFC 8417). It has neither `sub` nor `exp`, by which a receiver could take
 * it for a token of access.
 */
export function claimsOf(
  { jti, txn, type, subject, event, subjectInside }: SecurityEvent,
  { audience }: Pick<SharedStream, "audience">,
  issuer: string,
  nowMs: number,
) {
  return {
    iss: issuer,
    jti,
    iat: Math.floor(nowMs / 1000),
    aud: typeof audience === "string" ? audience : [...audience],
    txn,
    ...(!subjectInside && { sub_id: subject }),
    events: { [type]: subjectInside ? { subject: { user: subject }, ...event } : event },
  }
}
