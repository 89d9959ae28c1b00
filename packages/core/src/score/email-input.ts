import type { CostSettings } from "./action.ts"
import type { Calibration } from "./calibration.ts"
import type { ExposureKind, Secret, SignalType } from "./vocabulary.ts"

// Everything the e-mail model looks at, as one JSON document: a stored input and a model version
// give the same assessment again at any later time. Ages are days at `as_of`. A member left out or
// null is unknown: it adds nothing to the risk.

export interface Exposure {
  readonly kind: ExposureKind
  /** A stable id of who published it; a source counts once however often it repeats itself. */
  readonly source: string
  readonly item?: string | null
  /** Days since the latest observation. */
  readonly age: number
  readonly secret?: Secret | null
  /** How far the source is trusted, above 0 up to 1. */
  readonly conf?: number | null
  readonly classes?: readonly string[] | null
  /** Truncated fingerprints of the password, bound to the identity; never the password. */
  readonly pwFp?: string | readonly string[] | null
}

export interface Signal {
  readonly type: SignalType
  readonly source: string
  readonly item?: string | null
  readonly age: number
  readonly conf?: number | null
}

export interface Trust {
  /** Days since the address was first seen anywhere. */
  readonly emailAge?: number | null
  readonly free?: boolean | null
  readonly disposable?: boolean | null
  readonly disposableDomainAge?: number | null
  readonly masked?: boolean | null
  readonly mx?: boolean | null
  readonly deliverable?: boolean | null
  readonly catchAll?: boolean | null
  readonly role?: boolean | null
  readonly typosquat?: boolean | null
  readonly toxicDomain?: boolean | null
  readonly domainAge?: number | null
  readonly ownershipVerified?: boolean | null
  /** Independent passive traces found; null when nobody looked, which is not 0. */
  readonly traces?: number | null
  readonly handle?: number | null
  readonly velocity24h?: number | null
  readonly signupToActionSec?: number | null
  readonly clusterSize?: number | null
  readonly blocklist?: readonly BlocklistEntry[] | null
  /** From 0 to 1, as the client reports it. */
  readonly anomaly?: number | null
  readonly mailboxDied?: boolean | null
  readonly goodHistoryDays?: number | null
  readonly confirmedFraudAge?: number | null
}

export interface BlocklistEntry {
  readonly conf?: number | null
  readonly age?: number | null
}

/** From 0 (not looked at) to 1 (fully looked at); a family left out is 0. */
export interface EmailCoverage {
  readonly credential?: number | null
  readonly darkweb?: number | null
  readonly trust?: number | null
  readonly bot?: number | null
}

/** How many live exposure sources were searched, and the date of the newest import among them. */
export interface Checked {
  readonly sources: number
  readonly newestImport?: string | null
}

export interface EmailSettings {
  readonly prior_cred?: number | null
  readonly prior_abuse?: number | null
  readonly costs?: CostSettings | null
  readonly calibration?: Calibration | null
  /** `block` only where an attack, a loss or fraud is confirmed. */
  readonly confirmedBeforeBlock?: boolean | null
}

export interface EmailInput {
  /** UTC date, YYYY-MM-DD. */
  readonly as_of: string
  readonly checked: Checked
  readonly exposures?: readonly Exposure[] | null
  readonly signals?: readonly Signal[] | null
  readonly trust?: Trust | null
  /** Days since a confirmed credential change. */
  readonly rotatedAge?: number | null
  readonly coverage?: EmailCoverage | null
  /** From 0 to 1: how far sources contradict each other; true is 1. */
  readonly conflict?: number | boolean | null
  readonly ctx?: ActionContext | null
  readonly settings?: EmailSettings | null
}

export interface ActionContext {
  /** Replaces the assumed efficacy of a challenge, for example when SMS is the only one. */
  readonly stepUpEff?: number | null
}
