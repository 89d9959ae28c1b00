import type { ParsedEmail } from "@assay/core/identity"
import { type EmailInput, emailOutcome, type EmailOutcome } from "@assay/core/score"
import type { ShadowAnswer } from "@assay/stores/decisions"
import type { Caller } from "../../accounts/callers.ts"
import type { ShadowPolicy } from "../../accounts/shadow-policy.ts"
import type { Models } from "../models.ts"
import { domainTrust } from "./domain-trust.ts"
import { type EmailFindings, emailEvidence } from "./email-evidence.ts"
import type { Lists } from "./lists.ts"
import { ownDomains } from "./lists/own-domains.ts"

const REMEMBERED_MAX = 10_000

/** What was made of a request by the policy that acts. */
interface Live {
  readonly input: EmailInput
  /** The JSON of the input; null where a context makes nearly every input a new one. */
  readonly json: (() => string) | null
  readonly findings: FindingsOfAddress
}

/**
 * What was looked up, with the address itself: another policy may have other domains of its own.
 */
export interface FindingsOfAddress extends EmailFindings {
  readonly parsed: ParsedEmail
}

/**
 * Computes what another policy would have answered, from what was found out for the one that acts:
 * nothing is looked up again. Answers on inputs without evidence are remembered, as those of the
 * policy that acts are, see `rememberingAssessors`.
 */
export function emailShadows(
  models: Models,
  lists: Lists,
): (shadow: ShadowPolicy<Caller>, live: Live) => ShadowAnswer {
  const remembered = new Map<ShadowPolicy<Caller>, Map<string, ShadowAnswer>>()
  let count = 0

  const computed = (shadow: ShadowPolicy<Caller>, { input, findings }: Live): ShadowAnswer => {
    const { caller, version, sameEmailInput } = shadow
    const model = models.email(caller.emailModel)
    const weighed = sameEmailInput
      ? { ...input, settings: caller.emailSettings }
      : otherInput(shadow, findings, lists)
    return answerOf(version, emailOutcome(weighed, model))
  }

  return (shadow, live) => {
    const { input, json } = live
    if (json === null || input.exposures?.length !== 0 || input.signals?.length !== 0)
      return computed(shadow, live)
    // With other domains or sources of its own an input is not told by that of the live policy.
    if (!shadow.sameEmailInput) return computed(shadow, live)
    let answers = remembered.get(shadow)
    if (answers === undefined) remembered.set(shadow, (answers = new Map<string, ShadowAnswer>()))
    const name = json()
    const known = answers.get(name)
    if (known !== undefined) return known
    const answer = computed(shadow, live)
    if (count++ >= REMEMBERED_MAX) {
      remembered.clear()
      count = 0
    } else answers.set(name, answer)
    return answer
  }
}

function otherInput(
  { caller }: ShadowPolicy<Caller>,
  findings: FindingsOfAddress,
  lists: Lists,
): EmailInput {
  const { parsed, nowMs } = findings
  const own = caller.domains && ownDomains(caller.domains)
  const domain = domainTrust(parsed, lists, own, nowMs)
  return emailEvidence({ ...findings, caller, domain }).input
}

function answerOf(version: number, outcome: EmailOutcome): ShadowAnswer {
  const { risk_score: score, threat_stage: stage, recommended_action: action } = outcome
  return { version, score, stage, action }
}
