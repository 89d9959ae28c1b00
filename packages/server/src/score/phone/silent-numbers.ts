import { assessPhone, type PhoneAssessment, type PhoneInput } from "@assay/core/score"
import { instantOf } from "@assay/runtime/time"
import type { Caller } from "../../accounts/callers.ts"
import { phoneEvidence, type PhoneFindings } from "./phone-evidence.ts"

/** The input of a number, its JSON and what the model makes of it. */
export interface WeighedPhone {
  /** Remembered ones have the `as_of` of another moment; the JSON has the right one. */
  readonly input: PhoneInput
  readonly json: () => string
  readonly assessment: PhoneAssessment
}

interface Remembered {
  readonly input: PhoneInput
  readonly afterAsOf: string
  readonly assessment: PhoneAssessment
}

interface OfCaller {
  readonly model: PhoneFindings["model"]
  readonly byFacts: Map<string, Remembered>
}

/** More than there are regions and types of numbers together. */
const REMEMBERED_MAX = 2_000
const AS_OF = '{"as_of":"'

/**
 * Weighs numbers of which nobody says anything, as most are. Their inputs follow from the caller
 * and a few facts about their shape, but for the moment, which no model weighs. So the same few are
 * made and assessed once, for as long as the caller's settings stay. Holds no number.
 */
export function rememberingSilentNumbers(): (findings: PhoneFindings) => WeighedPhone {
  const callers = new WeakMap<Caller, OfCaller>()
  return (findings) => {
    const { caller, model, parsed, nowMs } = findings
    let of = callers.get(caller)
    if (of?.model !== model) callers.set(caller, (of = { model, byFacts: new Map() }))
    const facts = `${parsed.numberType} ${parsed.region} ${parsed.valid} ${parsed.special}`
    let known = of.byFacts.get(facts)
    if (known === undefined) {
      if (of.byFacts.size === REMEMBERED_MAX) of.byFacts.clear()
      of.byFacts.set(facts, (known = weighed(findings)))
    }
    const { input, afterAsOf, assessment } = known
    return { input, json: () => AS_OF + instantOf(nowMs) + afterAsOf, assessment }
  }
}

function weighed(findings: PhoneFindings): Remembered {
  const input = phoneEvidence(findings)
  const afterAsOf = JSON.stringify(input).slice(AS_OF.length + input.as_of.length)
  return { input, afterAsOf, assessment: assessPhone(input, findings.model) }
}
