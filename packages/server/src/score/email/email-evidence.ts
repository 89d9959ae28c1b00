import {
  type BlocklistEntry,
  type EmailInput,
  EXPOSURE_KINDS,
  type Exposure,
  INPUT_VERSION,
  type Signal,
  SIGNAL_TYPES,
  type Trust,
} from "@assay/core/score"
import type { Caller } from "../../accounts/callers.ts"
import { isAddressOnly } from "@assay/corpus/sources"
import type { Found, FoundEntry, Source } from "@assay/stores/exposure-index"
import { DAY_MS, dayOf } from "@assay/runtime/time"
import { catalogueFacts } from "../catalogue-facts.ts"
import type { ContextTrust } from "../velocity.ts"
import type { DomainTrust } from "./domain-trust.ts"
import { MailboxState } from "../mailbox-state.ts"
import type { DomainNetwork } from "../network-trust.ts"
import { itemLabels, type Observation, sourceLabels, visibleTo } from "../observations.ts"
import { NO_HISTORY, type TenantHistory, tenantHistory } from "../tenant-history.ts"

export interface EmailEvidence {
  readonly input: EmailInput
  /**
   * Whether evidence names this very address, or only the mailbox it delivers to; null without
   * evidence.
   */
  readonly matched: "exact" | "mailbox" | null
  /** Entries an answer does not rest on, because there were more than the index keeps. */
  readonly cut: number
}

/** Everything that was looked up about an address. */
export interface EmailFindings {
  readonly aliasTag: number
  readonly found: Found
  readonly domain: DomainTrust
  readonly network: DomainNetwork
  /** null: the request came without context. */
  readonly context: ContextTrust | null
  readonly caller: Caller
  readonly nowMs: number
}

const exposureKinds: ReadonlySet<string> = new Set(EXPOSURE_KINDS)
const signalTypes: ReadonlySet<string> = new Set(SIGNAL_TYPES)

/** Turns what was looked up into the scorer's input document. */
export function emailEvidence(findings: EmailFindings): EmailEvidence {
  const { aliasTag, found, domain, network, context, caller, nowMs } = findings
  const today = Math.floor(nowMs / DAY_MS)
  const exposures: Exposure[] = []
  const signals: Signal[] = []
  const { namedSources } = caller.plan
  const blocklist = domain.blocklist.map((entry): BlocklistEntry =>
    namedSources ? entry : { ...entry, name: undefined },
  )
  const mailbox = new MailboxState()
  const visible = visibleTo(caller, found)
  const fingerprints = usableFingerprints(visible)
  const sourceLabel = sourceLabels(caller)
  const itemLabel = itemLabels(caller)
  let exactly = false
  let seen = 0
  for (const { entry, source } of visible) {
    const age = Math.max(0, today - Math.floor(entry.hours / 24))
    const conf = entry.confidence ?? source.confidence
    const label = sourceLabel(source)
    const item = entry.item === null ? undefined : itemLabel(entry.item)
    // Passed around or not, a spam list stays an address: a repost would weigh more.
    if (exposureKinds.has(entry.kind) && (!source.circulates || isAddressOnly(source))) {
      exposures.push(exposureOf(entry, source, fingerprints, { source: label, item, age, conf }))
    } else if (exposureKinds.has(entry.kind)) {
      signals.push({ type: "repost", source: label, item, age, conf })
    } else if (signalTypes.has(entry.kind)) {
      signals.push({ type: entry.kind as Signal["type"], source: label, item, age, conf })
    } else if (entry.kind === "blocklisted") {
      blocklist.push({ conf, age, name: namedSources ? label : undefined })
    } else if (!mailbox.take(entry.kind, age, entry.value)) continue
    seen++
    if (entry.aliasTag === aliasTag) exactly = true
  }
  const history = visible.some(({ entry }) => entry.owner !== "shared")
    ? tenantHistory(visible, today, mailbox)
    : NO_HISTORY
  const facts = catalogueFacts(found.catalogue, nowMs, caller.verified)
  return {
    input: {
      as_of: dayOf(nowMs),
      writtenFor: INPUT_VERSION,
      checked: found.erased
        ? { sources: 0, newestImport: null, withheld: true }
        : { sources: facts.sources, newestImport: facts.newestImport },
      coverage: {
        credential: found.erased ? 0 : facts.credentialCoverage,
        darkweb: found.erased ? 0 : facts.darkwebCoverage,
        trust: trustCoverage(network, mailbox, history),
        bot: (context?.counted === true ? 0.5 : 0) + (history.hasHistory ? 0.5 : 0),
      },
      exposures,
      signals,
      trust: trustOf(domain, network, context, mailbox, history, exposures, blocklist),
      rotatedAge: history.rotatedAge,
      settings: caller.emailSettings,
    },
    matched: seen === 0 ? null : exactly ? "exact" : "mailbox",
    cut: found.cut,
  }
}

/** Model 1.0, section 5.7: lists are always consulted, the rest counts when it was answered. */
function trustCoverage(
  network: DomainNetwork,
  mailbox: MailboxState,
  history: TenantHistory,
): number {
  const mailboxKnown = mailbox.deliverable() !== undefined || history.ownershipIsRecent
  // Tenths, added as integers: 0.4 + 0.2 + 0.2 + 0.2 in binary fractions is not 1.
  return Math.round(4 + network.coverage * 10 + (mailboxKnown ? 2 : 0)) / 10
}

/** A spam list or an invented breach proves no more than that the address is known. */
function exposureOf(
  { kind, secret, classes, fingerprint }: FoundEntry,
  source: Source,
  fingerprints: ReadonlySet<number>,
  { source: label, item, age, conf }: Pick<Exposure, "source" | "item" | "age" | "conf">,
): Exposure {
  const addressOnly = isAddressOnly(source)
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

/**
 * A list that circulates others carries their passwords by construction: only origins can show
 * reuse.
 */
const FINGERPRINTED: ReadonlySet<string> = new Set(["breach", "stealer", "phish"])
const FINGERPRINTS_MANY = 12

const NO_FINGERPRINT: ReadonlySet<number> = new Set()

/**
 * Twelve bits collide by chance, so with many fingerprints only those seen under three sources
 * count.
 */
function usableFingerprints(visible: readonly Observation[]): ReadonlySet<number> {
  if (visible.length === 0) return NO_FINGERPRINT
  const eligible = visible.filter(
    ({ entry, source }) =>
      entry.fingerprint !== null &&
      !source.circulates &&
      !isAddressOnly(source) &&
      FINGERPRINTED.has(entry.kind),
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
/**
 * An own domain this old that takes mail is a company's or a person's own: its local parts follow
 * its own rules.
 */
const OWN_DOMAIN_DAYS = 365

/**
 * The most days that anything was seen ago. A function of its own: with this loop in `trustOf`, the
 * Maglev compiler of V8 14.6 takes its result for one of 730 days and more, some hundred requests
 * after the start and until the next compiler takes over. A test asks often enough to notice.
 */
function oldestOf(exposures: readonly Exposure[], known: number): number {
  let days = known
  for (const { age } of exposures) if (age > days) days = age
  return days
}

/** How many breaches that are old enough name the address. */
function tracesIn(exposures: readonly Exposure[]): number {
  let sources: Set<string> | undefined
  for (const { kind, age, source } of exposures)
    if (kind === "breach" && age > TRACE_DAYS) (sources ??= new Set()).add(source)
  return sources?.size ?? 0
}

/** Age and traces are derived here and never in the scorer: an old breach proves an old mailbox. */
function trustOf(
  domain: DomainTrust,
  network: DomainNetwork,
  context: ContextTrust | null,
  mailbox: MailboxState,
  history: TenantHistory,
  exposures: readonly Exposure[],
  blocklist: NonNullable<Trust["blocklist"]>,
): Trust {
  const known = history.firstKnownDays ?? 0
  const firstSeen = oldestOf(exposures, known)
  const traces = (known > TRACE_DAYS ? 1 : 0) + tracesIn(exposures)
  const { mx, domainAge } = network
  const corporate =
    domain.free === false &&
    domain.disposable !== true &&
    domain.masked !== true &&
    mx === true &&
    domainAge !== null &&
    domainAge > OWN_DOMAIN_DAYS
  return {
    // A first sighting proves that the mailbox is at least that old, never that it is young.
    emailAge: firstSeen >= AGE_PROVEN_DAYS ? firstSeen : undefined,
    // None found does not mean that none exist: a corpus of breaches is no directory of people.
    traces: traces === 0 ? undefined : traces,
    handle: corporate ? undefined : domain.handle,
    localLength: corporate ? undefined : domain.localLength,
    masked: domain.masked,
    disposable: domain.disposable,
    disposableDomainAge: domain.disposableDomainAge,
    disposableLikely:
      domain.disposableLikely ??
      (domain.isOpen && network.disposableServer !== null ? true : undefined),
    free: domain.free,
    toxicDomain: domain.toxicDomain,
    typosquat: domain.typosquat,
    homograph: domain.homograph,
    imitates: domain.imitates,
    role: domain.role,
    mx: mx ?? undefined,
    domainAge: domainAge ?? undefined,
    deliverable: mailbox.deliverable(),
    catchAll: mailbox.catchAll(),
    mailboxDied: mailbox.died(history.ownershipVerifiedAge),
    ownershipVerified: history.ownershipVerified,
    goodHistoryDays: history.goodHistoryDays,
    confirmedFraudAge: history.confirmedFraudAge,
    velocity24h: context?.velocity24h,
    signupToActionSec: context?.signupToActionSec,
    clusterSize: context?.clusterSize,
    anomaly: context?.anomaly,
    blocklist: blocklist.length === 0 ? undefined : blocklist,
  }
}
