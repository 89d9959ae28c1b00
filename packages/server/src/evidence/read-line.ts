import type { IdentityType } from "@assay/core/identity"
import {
  EMAIL_SENT_KINDS,
  type EmailSentKind,
  EVIDENCE_CLASSES,
  EVIDENCE_SOURCE_PATTERN,
  PHONE_SENT_KINDS,
  type PhoneSentKind,
  type ProblemDetails,
} from "@assay/core/contract"
import { EXPOSURE_KINDS } from "@assay/core/score"
import { holdsIdentity } from "../base/holds-identity.ts"
import { identifiedEmail, identifiedPhone } from "../http/identified.ts"
import { parseTime } from "@assay/runtime/rfc3339"
import { Problem } from "../base/problem.ts"
import type { Secrets } from "@assay/runtime/secrets"
import { type DataClass, entryBytes, SECRET_CLASSES, type SecretClass } from "@assay/stores/entry"
import type { SentEvidence } from "@assay/stores/records-evidence"
import { SERVICE_SOURCES } from "@assay/stores/arriving-batches"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"

type Kind = EmailSentKind | PhoneSentKind
/**
 * Notes that a member does not fit. Reading goes on, so that the sender sees all faults of a line.
 */
type Refuse = (member: string, detail: string) => void

const KINDS: Readonly<Record<IdentityType, ReadonlySet<unknown>>> = {
  email: new Set(EMAIL_SENT_KINDS),
  phone: new Set(PHONE_SENT_KINDS),
}
const exposureKinds: ReadonlySet<unknown> = new Set(EXPOSURE_KINDS)
const secretClasses: ReadonlySet<unknown> = new Set(SECRET_CLASSES)
const dataClasses: ReadonlySet<unknown> = new Set<DataClass>(EVIDENCE_CLASSES)

const SOURCE = new RegExp(EVIDENCE_SOURCE_PATTERN)
const DATE = /^\d{4}-\d\d-\d\d$/
const AHEAD_MS = DAY_MS
/**
 * Nobody's evidence is older than the web; an older date mistook seconds or days for milliseconds.
 */
const EARLIEST_MS = Date.UTC(1990, 0, 1)
const ITEM_BYTES_MAX = 64
const CONFIDENCE_MIN = 0.001

/**
 * Reads a line as an observation. Throws a Problem that names every member that does not fit, and
 * quotes none.
 */
export function readLine(
  line: unknown,
  { subkeys }: Pick<Secrets, "subkeys">,
  nowMs: number,
): SentEvidence {
  if (typeof line !== "object" || line === null || Array.isArray(line))
    throw refusal([{ pointer: "#", detail: "must be of type object" }])
  const members = line as Readonly<Record<string, unknown>>
  if (Object.hasOwn(members, "password"))
    throw new Problem("password-refused", "Nothing of the line was kept.")
  const faults: NonNullable<ProblemDetails["errors"]> = []
  const refuse: Refuse = (member, detail) => void faults.push({ pointer: `#/${member}`, detail })

  const { email, phone_number: phone } = members
  const identityType: IdentityType = phone === undefined ? "email" : "phone"
  const identity = identityType === "email" ? email : phone
  if ((email === undefined) === (phone === undefined))
    refuse("email", "exactly one of email and phone_number must be there")
  else if (typeof identity !== "string")
    refuse(identityType === "email" ? "email" : "phone_number", "must be of type string")

  const kind = readKind(members["kind"], identityType, refuse)
  const isExposure = exposureKinds.has(kind)
  const entry = {
    hours: readHours(members["observed_at"], identityType, nowMs, refuse),
    item: readItem(members["item"], refuse),
    confidence: readConfidence(members["confidence"], refuse),
    secret: readSecret(members["secret"], isExposure, refuse),
    classes: readClasses(members["classes"], isExposure, refuse),
    value: kind === null ? null : readValue(members["value"], kind, refuse),
  }
  const source = readSource(members["source"], refuse)
  if (faults.length > 0 || kind === null || typeof identity !== "string") throw refusal(faults)
  const { identityKey, aliasTag } =
    identityType === "email"
      ? identifiedEmail(identity, subkeys)
      : identifiedPhone(identity, subkeys)
  return {
    identityKey,
    source,
    entry: entryBytes({ ...entry, kind, aliasTag, fingerprint: null, batchId: 1 }),
  }
}

function refusal(errors: NonNullable<ProblemDetails["errors"]>): Problem {
  return new Problem("invalid-request", "A member of the line does not fit.", { errors })
}

function readKind(kind: unknown, identityType: IdentityType, refuse: Refuse): Kind | null {
  if (KINDS[identityType].has(kind)) return kind as Kind
  const other = identityType === "email" ? "phone" : "email"
  if (kind === undefined) refuse("kind", "is missing")
  else if (KINDS[other].has(kind))
    refuse(
      "kind",
      identityType === "email" ? "is about a phone number" : "is about an e-mail address",
    )
  else refuse("kind", "must be one of the kinds of the reference")
  return null
}

/** E-mail evidence is dated by day, telecom evidence by hour. */
function readHours(
  text: unknown,
  identityType: IdentityType,
  nowMs: number,
  refuse: Refuse,
): number {
  const moment = typeof text === "string" ? observedAt(text, identityType) : null
  if (text === undefined) refuse("observed_at", "is missing")
  else if (moment === null)
    // A number's SIM may have changed an hour ago: a date alone would make a fresh change look a
    // day old.
    refuse(
      "observed_at",
      identityType === "email"
        ? "must be a date or a time as in RFC 3339"
        : "must be a time as in RFC 3339",
    )
  else if (moment > nowMs + AHEAD_MS) refuse("observed_at", "must not be more than a day ahead")
  else if (moment < EARLIEST_MS) refuse("observed_at", "must not be before 1990")
  const hour = Math.floor((moment ?? 0) / HOUR_MS)
  return identityType === "phone" ? hour : hour - (hour % 24)
}

function observedAt(text: string, identityType: IdentityType): number | null {
  return parseTime(identityType === "email" && DATE.test(text) ? `${text}T00:00:00Z` : text)
}

function readItem(item: unknown, refuse: Refuse): string | null {
  if (item === undefined) return null
  if (typeof item !== "string") refuse("item", "must be of type string")
  else if (item === "") refuse("item", "must not be empty")
  else if (!item.isWellFormed() || /\p{C}/u.test(item))
    refuse("item", "must not hold control characters")
  else if (Buffer.byteLength(item) > ITEM_BYTES_MAX)
    refuse("item", `must have at most ${ITEM_BYTES_MAX} bytes of UTF-8`)
  else if (holdsIdentity(item)) refuse("item", "must not hold an e-mail address or a phone number")
  else return item
  return null
}

function readConfidence(confidence: unknown, refuse: Refuse): number | null {
  if (confidence === undefined) return null
  if (typeof confidence === "number" && confidence >= CONFIDENCE_MIN && confidence <= 1)
    return confidence
  refuse("confidence", `must be a number from ${CONFIDENCE_MIN} to 1`)
  return null
}

/** Model 1.0, section 5.1: an exposure whose secret nobody looked at is of an unknown form. */
function readSecret(secret: unknown, isExposure: boolean, refuse: Refuse): SecretClass {
  if (secret === undefined) return isExposure ? "unknown" : "none"
  if (!secretClasses.has(secret)) refuse("secret", `must be one of ${SECRET_CLASSES.join(", ")}`)
  else if (!isExposure) refuse("secret", "is only there with an exposure")
  else return secret as SecretClass
  return "none"
}

function readClasses(classes: unknown, isExposure: boolean, refuse: Refuse): DataClass[] {
  if (classes === undefined) return []
  if (!Array.isArray(classes)) refuse("classes", "must be of type array")
  else if (!classes.every((each) => dataClasses.has(each)))
    refuse("classes", `must each be one of ${EVIDENCE_CLASSES.join(", ")}`)
  else if (!isExposure) refuse("classes", "is only there with an exposure")
  else return classes as DataClass[]
  return []
}

function readValue(value: unknown, kind: Kind, refuse: Refuse): number | null {
  const takes = KIND_VALUES.get(kind)
  if (takes === undefined) {
    if (value !== undefined) refuse("value", "is not there with this kind")
    return null
  }
  const number = takes.read(value)
  if (number === null) refuse("value", value === undefined ? "is missing" : takes.rule)
  return number
}

function readSource(source: unknown, refuse: Refuse): string {
  if (source === undefined) refuse("source", "is missing")
  else if (typeof source !== "string" || !SOURCE.test(source))
    refuse("source", "must be 1 to 64 letters, digits and ._:-, the first a letter or digit")
  else if (SERVICE_SOURCES.has(source)) refuse("source", "is a name the service uses itself")
  else return source
  return ""
}

/** What a kind says besides having been observed. */
interface KindValue {
  /** The number the index keeps for a value; null for one that does not fit. */
  read(value: unknown): number | null
  /** What a value must be, for the error about one that does not fit. */
  readonly rule: string
}

/** No line is older than a hundred years. */
const DAYS_MAX = 36_525

const days: KindValue = {
  read: (value) =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) <= DAYS_MAX
      ? (value as number)
      : null,
  rule: `must be whole days, from 0 to ${DAYS_MAX}`,
}

const flag: KindValue = {
  read: (value) => (typeof value === "boolean" ? Number(value) : null),
  rule: "must be true or false",
}

/** The numbers stand in entries, so they never change. */
function word(numbers: Readonly<Record<string, number>>): KindValue {
  const known = new Map(Object.entries(numbers))
  return {
    read: (value) => known.get(value as string) ?? null,
    rule: `must be one of ${[...known.keys()].join(", ")}`,
  }
}

/** The kinds that say nothing without a value; every other takes none. */
const KIND_VALUES: ReadonlyMap<EmailSentKind | PhoneSentKind, KindValue> = new Map([
  ["line_status", word({ active: 1, inactive: 0, absent: -1 })],
  ["subscription", word({ prepaid: 1, postpaid: 2 })],
  ["call_forwarding", flag],
  ["catch_all", flag],
  ["tenure", days],
  ["sim_unchanged", days],
])
