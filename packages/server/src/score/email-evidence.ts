import type { ParsedEmail } from "@assay/core/identity"
import {
  type EmailInput,
  EXPOSURE_KINDS,
  type Exposure,
  handleScore,
  type Signal,
  SIGNAL_TYPES,
  type Trust,
} from "@assay/core/score"
import type { Caller } from "../accounts/callers.ts"
import type { Found, FoundEntry, Source } from "../stores/exposure-index.ts"
import { DAY_MS, dayOf } from "../time.ts"
import { catalogueFacts } from "./catalogue-facts.ts"
import { itemLabels, type Observation, sourceLabel, visibleTo } from "./observations.ts"
import type { Lists } from "./lists.ts"

export interface EmailEvidence {
  readonly input: EmailInput
  /** Whether evidence names this very address, or only the mailbox it delivers to; null without evidence. */
  readonly matched: "exact" | "mailbox" | null
  /** Entries an answer does not rest on, because there were more than the index keeps. */
  readonly cut: number
}

interface Question {
  readonly parsed: ParsedEmail
  readonly aliasTag: number
  readonly found: Found
  readonly lists: Lists
  readonly caller: Caller
  readonly nowMs: number
}

const exposureKinds: ReadonlySet<string> = new Set(EXPOSURE_KINDS)
const signalTypes: ReadonlySet<string> = new Set(SIGNAL_TYPES)
/** Lists are always consulted; MX, registration and deliverability are not, until they are configured. */
const TRUST_COVERAGE = 0.4

/** Turns what the index and the lists know into the scorer's input document. */
export function emailEvidence({
  parsed,
  aliasTag,
  found,
  lists,
  caller,
  nowMs,
}: Question): EmailEvidence {
  const today = Math.floor(nowMs / DAY_MS)
  const exposures: Exposure[] = []
  const signals: Signal[] = []
  const blocklist: { conf: number; age: number }[] = []
  const visible = visibleTo(caller, found)
  const fingerprints = usableFingerprints(visible)
  const itemLabel = itemLabels(caller)
  let exactly = false
  let seen = 0
  for (const { entry, source } of visible) {
    const age = Math.max(0, today - Math.floor(entry.hours / 24))
    const conf = entry.confidence ?? source.confidence
    const common = {
      source: sourceLabel(source, caller),
      ...(entry.item === null ? {} : { item: itemLabel(entry.item) }),
      age,
      conf,
    }
    if (exposureKinds.has(entry.kind)) {
      if (source.circulates) signals.push({ type: "repost", ...common })
      else
        exposures.push({
          kind: entry.kind as Exposure["kind"],
          ...common,
          ...secretOf(entry, source, fingerprints),
        })
    } else if (signalTypes.has(entry.kind)) {
      signals.push({ type: entry.kind as Signal["type"], ...common })
    } else if (entry.kind === "blocklisted") {
      blocklist.push({ conf, age })
    } else continue
    seen++
    if (entry.aliasTag === aliasTag) exactly = true
  }
  const facts = catalogueFacts(found.catalogue, nowMs)
  return {
    input: {
      as_of: dayOf(nowMs),
      checked: { sources: facts.sources, newestImport: facts.newestImport },
      coverage: {
        credential: facts.credentialCoverage,
        darkweb: facts.darkwebCoverage,
        trust: TRUST_COVERAGE,
        bot: 0,
      },
      exposures,
      signals,
      trust: trustOf(parsed, lists, exposures, blocklist),
    },
    matched: seen === 0 ? null : exactly ? "exact" : "mailbox",
    cut: found.cut,
  }
}

/** A spam list or an invented breach proves no more than that the address is known. */
function secretOf(
  entry: FoundEntry,
  source: Source,
  fingerprints: ReadonlySet<number>,
): Pick<Exposure, "secret" | "classes" | "pwFp"> {
  if (source.flags.spamList || source.flags.fabricated) return { secret: "none" }
  const classes = [...new Set([...source.classes, ...entry.classes])]
  return {
    secret: entry.secret,
    ...(classes.length === 0 ? {} : { classes }),
    ...(entry.fingerprint !== null &&
    fingerprints.has(entry.fingerprint) &&
    FINGERPRINTED.has(entry.kind)
      ? { pwFp: String(entry.fingerprint) }
      : {}),
  }
}

/** A list that circulates others carries their passwords by construction: only origins can show reuse. */
const FINGERPRINTED: ReadonlySet<string> = new Set(["breach", "stealer", "phish"])
const FINGERPRINTS_MANY = 12

const NO_FINGERPRINT: ReadonlySet<number> = new Set()

/** Twelve bits collide by chance, so with many fingerprints only those seen under three sources count. */
function usableFingerprints(visible: readonly Observation[]): ReadonlySet<number> {
  const eligible = visible.filter(
    ({ entry, source }) =>
      entry.fingerprint !== null && !source.circulates && FINGERPRINTED.has(entry.kind),
  )
  if (eligible.length === 0) return NO_FINGERPRINT
  const sources = new Map<number, Set<number>>()
  for (const { entry, source } of eligible) {
    const fingerprint = entry.fingerprint ?? 0
    const under = sources.get(fingerprint) ?? new Set()
    sources.set(fingerprint, under.add(source.id))
  }
  const needed = eligible.length > FINGERPRINTS_MANY ? 3 : 1
  return new Set(
    [...sources].filter(([, under]) => under.size >= needed).map(([fingerprint]) => fingerprint),
  )
}

const TRACE_DAYS = 365
/** Below this the model reads an age as young; see `trustOf`. */
const AGE_PROVEN_DAYS = 730

/** Age and traces are derived here and never in the scorer: an old breach proves an old mailbox. */
function trustOf(
  parsed: ParsedEmail,
  lists: Lists,
  exposures: readonly Exposure[],
  blocklist: Trust["blocklist"],
): Trust {
  const category = lists.find(parsed.domain)?.category
  let firstSeen = 0
  const traces = new Set<string>()
  for (const { kind, age, source } of exposures) {
    firstSeen = Math.max(firstSeen, age)
    if (kind === "breach" && age > TRACE_DAYS) traces.add(source)
  }
  return {
    // A first sighting proves that the mailbox is at least that old, never that it is young.
    ...(firstSeen >= AGE_PROVEN_DAYS ? { emailAge: firstSeen } : {}),
    // None found is not "looked and found none": a corpus of breaches is no directory of people.
    ...(traces.size === 0 ? {} : { traces: traces.size }),
    ...(category === "masked" ? { masked: true } : { handle: handleScore(parsed.local) }),
    ...(category === "disposable" ? { disposable: true } : {}),
    ...(category === "free" ? { free: true } : {}),
    ...(category === "toxic" ? { toxicDomain: true } : {}),
    ...(blocklist?.length ? { blocklist } : {}),
  }
}
