import type { PhoneRiskResult } from "@assay/core/contract"
import {
  IDENTITY_TAGS,
  type IdentityKey,
  identityKey,
  parsePhone,
  type ParsedPhone,
} from "@assay/core/identity"
import { assessPhone, type PhoneModel } from "@assay/core/score"
import type { Caller } from "../../accounts/callers.ts"
import { type Asker, afterwards } from "../../base/asker.ts"
import type { DecisionRecorder } from "../decision-draft.ts"
import { orNoShadow, type ScoringMetrics } from "../shadow.ts"
import type { ExposureIndex, Found } from "@assay/stores/exposure-index"
import type { Models } from "../models.ts"
import type { Usage } from "../../accounts/usage.ts"
import type { VelocityOfNumbers } from "./number-velocity.ts"
import { Problem } from "../../base/problem.ts"
import { type Secrets, sha256 } from "@assay/runtime/secrets"
import type { PhoneContext } from "./phone-context.ts"
import { type PhoneEntries, phoneEntries } from "./phone-entries.ts"
import { phoneEvidence, type PhoneFindings, verifiedAt } from "./phone-evidence.ts"
import { phoneExplanation } from "./phone-explanation.ts"
import { phoneShadow } from "./phone-shadow.ts"
import {
  type PhoneSignals,
  type SignalLookup,
  SIGNALS_NOT_ALLOWED,
  SIGNALS_OFF,
  SIGNALS_FAILED,
  signalsOff,
} from "../providers/phone-signals.ts"
import { rememberingSilentNumbers, type WeighedPhone } from "./silent-numbers.ts"
import { NO_SIGNAL_FACTS, signalFacts } from "./signal-facts.ts"

/** A number that can be looked up. */
export interface IdentifiedPhone {
  /** Exactly as received. */
  readonly phoneNumber: string
  readonly parsed: ParsedPhone
  readonly key: IdentityKey
  /** By which the decision can be found; null where nobody sent a request. */
  readonly requestId: string | null
  /** The caller's name of the case, which is kept with the decision. */
  readonly ref: string | null
}

export interface ScoredPhone {
  readonly result: PhoneRiskResult
  /** null where decisions are not kept. */
  readonly decisionId: string | null
}

export interface PhoneScorer {
  /** Throws a Problem for a text that is no number in international format. */
  identify(phoneNumber: string, requestId: string | null, ref?: string | null): IdentifiedPhone
  /**
   * One lookup and its answer. Fails if a required store fails; an optional one is only reported as
   * missing. Only a context, providers, an index elsewhere and the journal are waited for.
   */
  score(
    identified: IdentifiedPhone,
    caller: Caller,
    explain: boolean,
    context: PhoneContext | null,
    asker: Asker<ScoredPhone>,
  ): void
}

/** What scoring a number needs. */
export interface PhoneServices {
  readonly index: Pick<ExposureIndex, "lookupInTurn">
  readonly numberVelocity: VelocityOfNumbers
  /** Carriers and vendors that are asked about phone numbers. */
  readonly signals: SignalLookup
  readonly metrics: ScoringMetrics
  readonly decisions: DecisionRecorder
  readonly models: Models
  readonly usage: Usage
  readonly secrets: Secrets
  readonly now: () => number
}

/** Answers also when the thread that asks providers does not. */
export function orFailed(inner: SignalLookup, onFailed: () => void): SignalLookup {
  return {
    look: (question) =>
      inner.look(question).catch(() => {
        // The state shows it and the metrics count it. It is not logged: a request has no use for
        // it, and there may be hundreds a second while the thread restarts.
        onFailed()
        return SIGNALS_FAILED
      }),
  }
}

function weighed(findings: PhoneFindings, model: PhoneModel): WeighedPhone {
  const input = phoneEvidence(findings)
  return { input, json: () => JSON.stringify(input), assessment: assessPhone(input, model) }
}

/** The way from a phone number to its answer, the same for one request, a batch and a stream. */
export function phoneScorer({
  index,
  numberVelocity,
  signals,
  metrics,
  decisions,
  models,
  usage,
  secrets,
  now,
}: PhoneServices): PhoneScorer {
  const { subkeys } = secrets
  const { look } = orFailed(signals, metrics.countSignalsFailed)
  const weighSilent = rememberingSilentNumbers()

  /** What providers say. Known at once, without a promise, wherever nobody is asked. */
  const ask = (
    { parsed, key }: IdentifiedPhone,
    sinceMs: number | null,
    caller: Caller,
  ): PhoneSignals | Promise<PhoneSignals> => {
    if (signals === signalsOff) return SIGNALS_OFF
    const { tenantId, providerCapMicros: tenantCapMicros } = caller
    if (tenantId === null || !caller.plan.providers || !caller.providers) return SIGNALS_NOT_ALLOWED
    const { e164, region } = parsed
    const hex = Buffer.from(key).toString("hex")
    return look({ tenantId, e164, region, key: hex, sinceMs, tenantCapMicros })
  }

  return {
    identify(phoneNumber, requestId, ref = null) {
      const parsed = parsePhone(phoneNumber)
      if ("fault" in parsed) throw new Problem("not-a-phone-number", parsed.detail)
      const key = identityKey(sha256, subkeys.identity, IDENTITY_TAGS.phone, parsed.e164)
      return { phoneNumber, parsed, key, requestId, ref }
    },
    score(identified, caller, explain, context, asker) {
      const { phoneNumber, parsed, key } = identified
      try {
        const nowMs = now()
        const model = models.phone(caller.phoneModel)
        // Under way while the rest is asked; it never rejects, so a failure elsewhere leaves
        // nothing behind.
        const counting =
          context === null ? null : numberVelocity.accounts24h(key, context, caller.tenantId)
        const conclude = (
          found: Found,
          entries: PhoneEntries,
          said: PhoneSignals,
          accounts24h: number | null,
        ): void => {
          const findings: PhoneFindings = {
            parsed,
            entries,
            signals: said.results.length === 0 ? NO_SIGNAL_FACTS : signalFacts(said.results, nowMs),
            context,
            accounts24h,
            caller,
            model,
            nowMs,
          }
          const isSilent =
            !entries.saysAnything && said.results.length === 0 && context === null && !explain
          const { input, json, assessment } = isSilent
            ? weighSilent(findings)
            : weighed(findings, model)
          const answer = (decisionId: string | null): ScoredPhone => {
            usage.count(caller.keyId, "phone")
            const result = { phone_number: phoneNumber, ...assessment } as PhoneRiskResult
            if (!explain) return { result, decisionId }
            const explanation = phoneExplanation({
              parsed,
              input,
              model,
              entries,
              cut: found.cut,
              signals: said,
              context,
              accounts24h,
              caller,
              decisionId,
            })
            return { result: { ...result, explanation }, decisionId }
          }
          decisions.record(
            {
              identityType: "phone",
              tenantId: caller.tenantId,
              keyId: caller.keyId,
              identityKey: key,
              atMs: nowMs,
              modelVersion: model.version,
              input,
              inputJson: json,
              requestId: identified.requestId,
              ref: identified.ref,
              score: assessment.risk_score,
              action: assessment.recommendation,
              stage: null,
              confidence: null,
              shadow: orNoShadow(caller, metrics, (shadow) =>
                phoneShadow(shadow, found, findings, models),
              ),
            },
            afterwards(answer, asker),
          )
        }
        // After the index and not beside it: providers are asked whether the number changed hands
        // since the tenant's last proof, which may be evidence. A lookup is nothing against the
        // time they have.
        const goOn = (found: Found): void | Promise<void> => {
          const entries = phoneEntries(found, caller, nowMs)
          const asking = ask(identified, verifiedAt(entries, context), caller)
          if (counting === null && !(asking instanceof Promise))
            conclude(found, entries, asking, null)
          else
            return Promise.all([asking, counting]).then(([said, accounts24h]) =>
              conclude(found, entries, said, accounts24h),
            )
        }
        const finding = index.lookupInTurn(key, caller.tenantId)
        const waiting = finding instanceof Promise ? finding.then(goOn) : goOn(finding)
        waiting?.catch(asker.failed)
      } catch (error) {
        asker.failed(error)
      }
    },
  }
}
