import type { EmailRiskResult } from "@assay/core/contract"
import {
  aliasTag,
  IDENTITY_TAGS,
  type IdentityKey,
  identityKey,
  parseEmail,
  type ParsedEmail,
} from "@assay/core/identity"
import { assessEmail, explainEmail } from "@assay/core/score"
import type { Caller } from "../../accounts/callers.ts"
import { type Asker, afterwards } from "../../base/asker.ts"
import type { DecisionRecorder } from "../decision-draft.ts"
import { orNoShadow, type ScoringMetrics } from "../shadow.ts"
import type { ExposureIndex, Found } from "@assay/stores/exposure-index"
import type { Lists } from "./lists.ts"
import type { Models } from "../models.ts"
import type { DomainNetwork, NetworkTrust } from "../network-trust.ts"
import type { Usage } from "../../accounts/usage.ts"
import type { ContextTrust, VelocityOfContext } from "../velocity.ts"
import { ownDomains } from "./lists/own-domains.ts"
import { Problem } from "../../base/problem.ts"
import { type Secrets, sha256 } from "@assay/runtime/secrets"
import type { Context } from "../context.ts"
import { domainTrust } from "./domain-trust.ts"
import { emailEvidence } from "./email-evidence.ts"
import { emailShadows, type FindingsOfAddress } from "./email-shadow.ts"
import { jsonOnce } from "../json-once.ts"
import { rememberingAssessors } from "../remembered-assessments.ts"

/** An address that can be looked up. */
export interface IdentifiedEmail {
  /** Exactly as received. */
  readonly email: string
  readonly parsed: ParsedEmail
  readonly key: IdentityKey
  /** By which the decision can be found; null where nobody sent a request. */
  readonly requestId: string | null
  /** The caller's name of the case, which is kept with the decision. */
  readonly ref: string | null
}

export interface ScoredEmail {
  readonly result: EmailRiskResult
  /** null where decisions are not kept. */
  readonly decisionId: string | null
}

export interface EmailScorer {
  /** Throws a Problem for a text that is no address. */
  identify(email: string, requestId: string | null, ref?: string | null): IdentifiedEmail
  /**
   * One lookup and its answer. Fails if a required store fails; a missing optional one only lowers
   * confidence. Only a context, a network, an index elsewhere and the journal are waited for.
   */
  score(
    identified: IdentifiedEmail,
    caller: Caller,
    explain: boolean,
    context: Context | null,
    asker: Asker<ScoredEmail>,
  ): void
}

/** What scoring an address needs. */
export interface EmailServices {
  readonly index: Pick<ExposureIndex, "lookupInTurn">
  readonly lists: Lists
  readonly network: NetworkTrust
  readonly velocity: VelocityOfContext
  readonly decisions: DecisionRecorder
  readonly models: Models
  readonly usage: Usage
  readonly secrets: Secrets
  readonly metrics: ScoringMetrics
  readonly now: () => number
}

/** The way from an address to its answer, the same for one request, a batch and a stream. */
export function emailScorer({
  index,
  lists,
  network,
  velocity,
  decisions,
  models,
  usage,
  secrets,
  metrics,
  now,
}: EmailServices): EmailScorer {
  const { subkeys } = secrets
  const assess = rememberingAssessors()
  const shadowed = emailShadows(models, lists)
  return {
    identify(email, requestId, ref = null) {
      const parsed = parseEmail(email)
      if ("fault" in parsed) throw new Problem("not-an-email", parsed.detail)
      const key = identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, parsed.canonical)
      return { email, parsed, key, requestId, ref }
    },
    score(identified, caller, explain, context, asker) {
      const { email, parsed, key } = identified
      try {
        const model = models.email(caller.emailModel)
        const nowMs = now()
        // Both are under way while the index is read, and neither rejects: a failure there leaves
        // nothing behind.
        const comparing =
          context === null ? null : velocity.compare(identified, context, caller.tenantId)
        const looking = network.look(parsed.domain, nowMs)
        const finding = index.lookupInTurn(key, caller.tenantId)
        const conclude = (
          found: Found,
          seen: DomainNetwork,
          compared: ContextTrust | null,
        ): void => {
          const own = caller.domains && ownDomains(caller.domains)
          const domain = domainTrust(parsed, lists, own, nowMs)
          const findings: FindingsOfAddress = {
            parsed,
            aliasTag: aliasTag(sha256, subkeys.alias, key, parsed),
            found,
            domain,
            network: seen,
            context: compared,
            caller,
            nowMs,
          }
          const { input, matched, cut } = emailEvidence(findings)
          const inputJson = jsonOnce(input)
          // A context makes nearly every input a new one: remembering those would push out the ones
          // that come again.
          const assessment =
            compared === null ? assess(input, model, inputJson) : assessEmail(input, model)
          const answer = (decisionId: string | null): ScoredEmail => {
            usage.count(caller.keyId, "email")
            const result = { email, ...assessment }
            if (!explain) return { result, decisionId }
            const explanation = {
              ...explainEmail(input, model),
              matched,
              entries_cut: cut,
              decision_id: decisionId,
              domain: domain.explained,
              network: seen.explained,
              ...(compared === null ? {} : { context: compared.explained }),
            }
            return { result: { ...result, explanation }, decisionId }
          }
          decisions.record(
            {
              identityType: "email",
              tenantId: caller.tenantId,
              keyId: caller.keyId,
              identityKey: key,
              atMs: nowMs,
              modelVersion: assessment.model_version,
              input,
              inputJson,
              requestId: identified.requestId,
              ref: identified.ref,
              score: assessment.risk_score,
              action: assessment.recommended_action,
              stage: assessment.threat_stage,
              confidence: assessment.confidence,
              shadow: orNoShadow(caller, metrics, (shadow) =>
                shadowed(shadow, { input, json: compared === null ? inputJson : null, findings }),
              ),
            },
            afterwards(answer, asker),
          )
        }
        if (comparing === null && !(looking instanceof Promise) && !(finding instanceof Promise))
          conclude(finding, looking, null)
        else
          Promise.all([finding, looking, comparing])
            .then((all) => conclude(...all))
            .catch(asker.failed)
      } catch (error) {
        asker.failed(error)
      }
    },
  }
}
