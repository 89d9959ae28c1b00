import type { PhoneRiskResult } from "@assay/core/contract"
import {
  IDENTITY_TAGS,
  type IdentityKey,
  identityKey,
  parsePhone,
  type ParsedPhone,
} from "@assay/core/identity"
import { assessPhone, explainPhone } from "@assay/core/score"
import type { Caller } from "../accounts/callers.ts"
import type { Services } from "../app.ts"
import { Problem } from "../problem.ts"
import { sha256 } from "../secrets.ts"
import { numberFacts } from "./number-facts.ts"
import { phoneEvidence } from "./phone-evidence.ts"

/** A number that can be looked up. */
export interface IdentifiedPhone {
  /** Exactly as received. */
  readonly phoneNumber: string
  readonly parsed: ParsedPhone
  readonly key: IdentityKey
}

export interface ScoredPhone {
  readonly result: PhoneRiskResult
  /** null where decisions are not kept. */
  readonly decisionId: string | null
}

export interface PhoneScorer {
  /** Throws a Problem for a text that is no number in international format. */
  identify(phoneNumber: string): IdentifiedPhone
  /** One lookup and its answer. Throws where a store that is needed fails. */
  score(identified: IdentifiedPhone, caller: Caller, explain: boolean): Promise<ScoredPhone>
}

/** The way from a phone number to its answer, the same for one request, a batch and a stream. */
export function phoneScorer({
  index,
  decisions,
  models,
  usage,
  secrets,
  now,
}: Services): PhoneScorer {
  const { subkeys } = secrets
  return {
    identify(phoneNumber) {
      const parsed = parsePhone(phoneNumber)
      if ("fault" in parsed) throw new Problem("not-a-phone-number", parsed.detail)
      const key = identityKey(sha256, subkeys.identity, IDENTITY_TAGS.phone, parsed.e164)
      return { phoneNumber, parsed, key }
    },
    async score({ phoneNumber, parsed, key }, caller, explain) {
      const nowMs = now()
      const model = models.phone(caller.phoneModel)
      const found = await index.lookup(key, caller.tenantId)
      const input = phoneEvidence({ parsed, found, caller, model, nowMs })
      const assessment = assessPhone(input, model)
      const recording = decisions.record({
        subject: "phone",
        tenantId: caller.tenantId,
        keyId: caller.keyId,
        identityKey: key,
        atMs: nowMs,
        modelVersion: model.version,
        input,
        score: assessment.risk_score,
        action: assessment.recommendation,
        stage: null,
        confidence: null,
      })
      const decisionId = recording instanceof Promise ? await recording : recording
      usage.count(caller.keyId, "phone")
      const result = { phone_number: phoneNumber, ...assessment, number_type: parsed.numberType }
      if (!explain) return { result, decisionId }
      const explanation = {
        ...explainPhone(input, model),
        number: numberFacts(parsed),
        entries_cut: found.cut,
        decision_id: decisionId,
      }
      return { result: { ...result, explanation }, decisionId }
    },
  }
}
