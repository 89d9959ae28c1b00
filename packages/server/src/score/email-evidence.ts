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
    const label = sourceLabel(source, caller)
    const item = entry.item === null ? undefined : itemLabel(entry.item)
    if (exposureKinds.has(entry.kind) && !source.circulates) {
      exposures.push(exposureOf(entry, source, fingerprints, { source: label, item, age, conf }))
    } else if (exposureKinds.has(entry.kind)) {
      signals.push({ type: "repost", source: label, item, age, conf })
    } else if (signalTypes.has(entry.kind)) {
      signals.push({ type: entry.kind as Signal["type"], source: label, item, age, conf })
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
function exposureOf(
  { kind, secret, classes, fingerprint }: FoundEntry,
  source: Source,
  fingerprints: ReadonlySet<number>,
  { source: label, item, age, conf }: Pick<Exposure, "source" | "item" | "age" | "conf">,
): Exposure {
  const addressOnly = source.flags.spamList || source.flags.fabricated
  const reusable =
    !addressOnly && fingerprint !== null && FINGERPRINTED.has(kind) && fingerprints.has(fingerprint)
  return {
    kind: kind as Exposure["kind"],
    source: label,
    item,
    age,
    conf,
    secret: addressOnly ? "none" : secret,
    classes: addressOnly ? undefined : allClasses(source.classes, classes),
    pwFp: reusable ? String(fingerprint) : undefined,
  }
}

function allClasses(of: readonly string[], more: readonly string[]): readonly string[] | undefined {
  if (more.length === 0) return of.length === 0 ? undefined : of
  return [...new Set([...of, ...more])]
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
    emailAge: firstSeen >= AGE_PROVEN_DAYS ? firstSeen : undefined,
    // None found is not "looked and found none": a corpus of breaches is no directory of people.
    traces: traces.size === 0 ? undefined : traces.size,
    handle: category === "masked" ? undefined : handleScore(parsed.local),
    masked: category === "masked" ? true : undefined,
    disposable: category === "disposable" ? true : undefined,
    free: category === "free" ? true : undefined,
    toxicDomain: category === "toxic" ? true : undefined,
    blocklist: blocklist?.length ? blocklist : undefined,
  }
}
