import type { CostSettings } from "./action.ts"
import type { Calibration } from "./calibration.ts"
import type { ExposureKind, Secret, SignalType } from "./vocabulary.ts"

// Everything the e-mail model looks at, as one JSON document: a stored input and a model version
// give the same assessment again at any later time. Ages are days at `as_of`. A member left out or
// null is unknown: it adds nothing to the risk. A member set to undefined is left out: writers that
// give every input the same members are several times as fast as writers that do not.

export interface Exposure {
  readonly kind: ExposureKind
  /** A stable id of who published it; a source counts once however often it repeats itself. */
  readonly source: string
  readonly item?: string | null | undefined
  /** Days since the latest observation. */
  readonly age: number
  readonly secret?: Secret | null | undefined
  /** How far the source is trusted, above 0 up to 1. */
  readonly conf?: number | null | undefined
  readonly classes?: readonly string[] | null | undefined
  /** Truncated fingerprints of the password, bound to the identity; never the password. */
  readonly pwFp?: string | readonly string[] | null | undefined
}

export interface Signal {
  readonly type: SignalType
  readonly source: string
  readonly item?: string | null | undefined
  readonly age: number
  readonly conf?: number | null | undefined
}

export interface Trust {
  /** Days since the address was first seen anywhere. */
  readonly emailAge?: number | null | undefined
  readonly free?: boolean | null | undefined
  readonly disposable?: boolean | null | undefined
  readonly disposableDomainAge?: number | null | undefined
  /** One bulk list names the host as disposable, or its mail servers serve such hosts. */
  readonly disposableLikely?: boolean | null | undefined
  readonly masked?: boolean | null | undefined
  readonly mx?: boolean | null | undefined
  readonly deliverable?: boolean | null | undefined
  readonly catchAll?: boolean | null | undefined
  readonly role?: boolean | null | undefined
  readonly typosquat?: boolean | null | undefined
  /**
   * The domain imitates another in letters of another alphabet, or mixes alphabets in one label.
   */
  readonly homograph?: boolean | null | undefined
  /** The domain that `typosquat` or `homograph` speaks of; null where only alphabets are mixed. */
  readonly imitates?: string | null | undefined
  readonly toxicDomain?: boolean | null | undefined
  readonly domainAge?: number | null | undefined
  readonly ownershipVerified?: boolean | null | undefined
  /** Independent passive traces found; null when nobody looked, which is not 0. */
  readonly traces?: number | null | undefined
  readonly handle?: number | null | undefined
  /** Characters of the local part that `handle` was computed from. */
  readonly localLength?: number | null | undefined
  readonly velocity24h?: number | null | undefined
  readonly signupToActionSec?: number | null | undefined
  readonly clusterSize?: number | null | undefined
  readonly blocklist?: readonly BlocklistEntry[] | null | undefined
  /** From 0 to 1, as the client reports it. */
  readonly anomaly?: number | null | undefined
  readonly mailboxDied?: boolean | null | undefined
  readonly goodHistoryDays?: number | null | undefined
  readonly confirmedFraudAge?: number | null | undefined
}

/** What rows of a document may weigh: flags and numbers of `trust`. */
export const TRUST_MEMBERS = {
  emailAge: "number",
  free: "flag",
  disposable: "flag",
  disposableDomainAge: "number",
  disposableLikely: "flag",
  masked: "flag",
  mx: "flag",
  deliverable: "flag",
  catchAll: "flag",
  role: "flag",
  typosquat: "flag",
  homograph: "flag",
  toxicDomain: "flag",
  domainAge: "number",
  ownershipVerified: "flag",
  traces: "number",
  handle: "number",
  localLength: "number",
  velocity24h: "number",
  signupToActionSec: "number",
  clusterSize: "number",
  anomaly: "number",
  mailboxDied: "flag",
  goodHistoryDays: "number",
  confirmedFraudAge: "number",
} as const satisfies Partial<Record<keyof Trust, "flag" | "number">>

export interface BlocklistEntry {
  readonly conf?: number | null | undefined
  /** Days by which the entry has lost weight; a list that is in force has lost none. */
  readonly age?: number | null | undefined
  /**
   * Days since the list's entry or release, for the sentence; if unknown, the sentence uses `age`.
   */
  readonly listedAge?: number | null | undefined
  /** For the sentence, where the plan may see names. */
  readonly name?: string | null | undefined
  /** The same fact as `disposableLikely`: models that read that flag leave this entry out. */
  readonly likelyDisposable?: boolean | null | undefined
}

/** From 0 (not looked at) to 1 (fully looked at); a family left out is 0. */
export interface EmailCoverage {
  readonly credential?: number | null | undefined
  readonly darkweb?: number | null | undefined
  readonly trust?: number | null | undefined
  readonly bot?: number | null | undefined
}

/** How many live exposure sources were searched, and the date of the newest import among them. */
export interface Checked {
  readonly sources: number
  readonly newestImport?: string | null | undefined
  /** What sources hold of this identity may not be used, so nothing was searched. */
  readonly withheld?: boolean | null | undefined
}

export interface EmailSettings {
  readonly prior_cred?: number | null | undefined
  readonly prior_abuse?: number | null | undefined
  readonly costs?: CostSettings | null | undefined
  readonly calibration?: Calibration | null | undefined
  /** `block` only where an attack, a loss or fraud is confirmed. */
  readonly confirmedBeforeBlock?: boolean | null | undefined
}

export interface EmailInput {
  /** UTC date, YYYY-MM-DD. */
  readonly as_of: string
  /**
   * The newest model whose members were looked for; programs before 1.1 leave it out. Never
   * weighed.
   */
  readonly writtenFor?: string | null | undefined
  readonly checked: Checked
  readonly exposures?: readonly Exposure[] | null | undefined
  readonly signals?: readonly Signal[] | null | undefined
  readonly trust?: Trust | null | undefined
  /** Days since a confirmed credential change. */
  readonly rotatedAge?: number | null | undefined
  readonly coverage?: EmailCoverage | null | undefined
  /** From 0 to 1: how far sources contradict each other; true is 1. */
  readonly conflict?: number | boolean | null | undefined
  readonly ctx?: ActionContext | null | undefined
  readonly settings?: EmailSettings | null | undefined
}

export interface ActionContext {
  /** Replaces the assumed efficacy of a challenge, for example when SMS is the only one. */
  readonly stepUpEff?: number | null | undefined
}
