import type { EmailRiskResult } from "@assay/core/contract"
import {
  aliasTag,
  IDENTITY_TAGS,
  type IdentityKey,
  identityKey,
  parseEmail,
  type ParsedEmail,
} from "@assay/core/identity"
import { explainEmail } from "@assay/core/score"
import type { Caller } from "../accounts/callers.ts"
import type { Services } from "../app.ts"
import { Problem } from "../problem.ts"
import { sha256 } from "../secrets.ts"
import { domainTrust } from "./domain-trust.ts"
import { emailEvidence } from "./email-evidence.ts"
import { rememberingAssessors } from "./remembered-assessments.ts"

/** An address that can be looked up. */
export interface IdentifiedEmail {
  /** Exactly as received. */
  readonly email: string
  readonly parsed: ParsedEmail
  readonly key: IdentityKey
}

export interface ScoredEmail {
  readonly result: EmailRiskResult
  /** null where decisions are not kept. */
  readonly decisionId: string | null
}

export interface EmailScorer {
  /** Throws a Problem for a text that is no address. */
  identify(email: string): IdentifiedEmail
  /** One lookup and its answer. Throws where a store that is needed fails; what is optional only lowers confidence. */
  score(identified: IdentifiedEmail, caller: Caller, explain: boolean): Promise<ScoredEmail>
}

/** The way from an address to its answer, the same for one request, a batch and a stream. */
export function emailScorer({
  index,
  lists,
  network,
  decisions,
  models,
  usage,
  secrets,
  now,
}: Services): EmailScorer {
  const { subkeys } = secrets
  const assess = rememberingAssessors()
  return {
    identify(email) {
      const parsed = parseEmail(email)
      if ("fault" in parsed) throw new Problem("not-an-email", parsed.detail)
      const key = identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, parsed.canonical)
      return { email, parsed, key }
    },
    async score({ email, parsed, key }, caller, explain) {
      const model = models.email(caller.emailModel)
      const nowMs = now()
      // Under way while the index is read; it never rejects, so a failure there leaves nothing behind.
      const looking = network.look(parsed.domain, nowMs)
      const found = await index.lookup(key, caller.tenantId)
      const domain = domainTrust(parsed, lists, nowMs)
      const seen = looking instanceof Promise ? await looking : looking
      const { input, matched, cut } = emailEvidence({
        parsed,
        aliasTag: aliasTag(sha256, subkeys.alias, key, parsed),
        found,
        domain,
        network: seen,
        context: null,
        caller,
        nowMs,
      })
      const assessment = assess(input, model)
      const recording = decisions.record({
        subject: "email",
        tenantId: caller.tenantId,
        keyId: caller.keyId,
        identityKey: key,
        atMs: nowMs,
        modelVersion: assessment.model_version,
        input,
        score: assessment.risk_score,
        action: assessment.recommended_action,
        stage: assessment.threat_stage,
        confidence: assessment.confidence,
      })
      const decisionId = recording instanceof Promise ? await recording : recording
      usage.count(caller.keyId, "email")
      const result = { email, ...assessment }
      if (!explain) return { result, decisionId }
      const explanation = {
        ...explainEmail(input, model),
        matched,
        entries_cut: cut,
        decision_id: decisionId,
        domain: domain.told,
        network: seen.told,
      }
      return { result: { ...result, explanation }, decisionId }
    },
  }
}
