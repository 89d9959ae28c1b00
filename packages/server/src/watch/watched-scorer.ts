import {
  assessEmail,
  assessPhone,
  bandOf,
  emailOutcome,
  phoneOutcome,
  type Stage,
} from "@assay/core/score"
import type { Found } from "@assay/stores/exposure-index"
import type { DueWatchItem, Told } from "@assay/stores/records-watch"
import type { Caller } from "../accounts/callers.ts"
import { type DomainValues, trustOn } from "../score/email/domain-trust.ts"
import { emailEvidence } from "../score/email/email-evidence.ts"
import type { Models } from "../score/models.ts"
import { phoneEntries } from "../score/phone/phone-entries.ts"
import { phoneEvidence } from "../score/phone/phone-evidence.ts"
import { NO_SIGNAL_FACTS } from "../score/phone/signal-facts.ts"
import type { Standing } from "./hysteresis.ts"
import { type KeptEmail, type KeptPhone, networkOn } from "./kept-values.ts"

/** The answer that a look-up of a watched identity gives, without the identity. */
export interface WatchedAssessment extends Told {
  readonly risk_reasons: readonly string[]
}

/** A watched identity with all that a score is made of. */
export interface WatchedScorer {
  /** The step by which its evidence ages. */
  readonly step: "day" | "hour"
  /** As a look-up by the tenant answers at this moment. */
  assess(atMs: number): WatchedAssessment
  /** The same without reasons, in less time. */
  standing(atMs: number): Standing
}

export type WatchedIdentity = Pick<DueWatchItem, "identityType" | "kept" | "domain">

/** Throws `model-not-loaded` where the tenant's policy names a model that is not there. */
export function watchedScorer(
  item: WatchedIdentity,
  found: Found,
  caller: Caller,
  models: Models,
): WatchedScorer {
  return item.identityType === "email"
    ? watchedEmail(item, found, caller, models)
    : watchedPhone(item, found, caller, models)
}

function watchedEmail(
  { kept, domain }: WatchedIdentity,
  found: Found,
  caller: Caller,
  models: Models,
): WatchedScorer {
  const model = models.email(caller.emailModel)
  const email = kept as unknown as KeptEmail
  const values = domain as unknown as DomainValues
  const inputAt = (nowMs: number) =>
    emailEvidence({
      // Tells which address of a mailbox was seen, for explanations alone.
      aliasTag: 0,
      found,
      domain: trustOn(values, email.local, nowMs),
      network: networkOn(email, nowMs),
      context: null,
      caller,
      nowMs,
    }).input
  return {
    step: "day",
    assess(atMs) {
      const assessment = assessEmail(inputAt(atMs), model)
      const { risk_score, threat_stage, recommended_action, model_version } = assessment
      return {
        risk_score,
        threat_stage,
        band: bandOf(risk_score),
        recommended_action,
        model_version,
        risk_reasons: assessment.risk_reasons,
      }
    },
    standing(atMs) {
      const { risk_score: score, threat_stage: stage } = emailOutcome(inputAt(atMs), model)
      return { score, stage, band: bandOf(score) }
    },
  }
}

function watchedPhone(
  { kept }: WatchedIdentity,
  found: Found,
  caller: Caller,
  models: Models,
): WatchedScorer {
  const model = models.phone(caller.phoneModel)
  const { number } = kept as unknown as KeptPhone
  const inputAt = (nowMs: number) =>
    phoneEvidence({
      parsed: number,
      entries: phoneEntries(found, caller, nowMs),
      // Nobody can be asked about a number that is not known.
      signals: NO_SIGNAL_FACTS,
      context: null,
      accounts24h: null,
      caller,
      model,
      nowMs,
    })
  return {
    step: "hour",
    assess(atMs) {
      const { risk_score, recommendation, risk_reasons } = assessPhone(inputAt(atMs), model)
      return {
        risk_score,
        band: bandOf(risk_score),
        recommended_action: recommendation,
        model_version: model.version,
        risk_reasons,
      }
    },
    standing(atMs) {
      const { risk_score: score } = phoneOutcome(inputAt(atMs), model)
      return { score, stage: null, band: bandOf(score) }
    },
  }
}

/** What was told, as what is compared. */
export function standingOf(told: Told): Standing {
  const { risk_score: score, threat_stage, band } = told
  return {
    score,
    stage: (threat_stage as Stage | undefined) ?? null,
    band: band as Standing["band"],
  }
}
