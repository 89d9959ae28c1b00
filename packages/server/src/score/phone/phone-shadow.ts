import { phoneOutcome } from "@assay/core/score"
import type { ShadowAnswer } from "@assay/stores/decisions"
import type { Found } from "@assay/stores/exposure-index"
import type { Caller } from "../../accounts/callers.ts"
import type { ShadowPolicy } from "../../accounts/shadow-policy.ts"
import type { Models } from "../models.ts"
import { phoneEntries } from "./phone-entries.ts"
import { phoneEvidence, type PhoneFindings } from "./phone-evidence.ts"
import { NO_SIGNAL_FACTS } from "./signal-facts.ts"

/**
 * What another policy would have answered about a number, from what was found out for the one that
 * acts. Nobody is asked: with providers off in the shadow, what they said is left out.
 */
export function phoneShadow(
  { version, caller }: ShadowPolicy<Caller>,
  found: Found,
  findings: PhoneFindings,
  models: Models,
): ShadowAnswer {
  const { caller: live, entries, signals, nowMs } = findings
  const model = models.phone(caller.phoneModel)
  const input = phoneEvidence({
    ...findings,
    caller,
    model,
    entries: caller.verified === live.verified ? entries : phoneEntries(found, caller, nowMs),
    signals: caller.providers === live.providers ? signals : NO_SIGNAL_FACTS,
  })
  const { risk_score: score, recommendation: action } = phoneOutcome(input, model)
  return { version, score, stage: null, action }
}
