import {
  type EmailInput,
  type EmailModel,
  emailOutcome,
  lackingEmailMembers,
  lackingPhoneMembers,
  type PhoneInput,
  type PhoneModel,
  phoneOutcome,
} from "@assay/core/score"
import type { ScoringSettings } from "../accounts/tenant-settings.ts"
import type { Models } from "../score/models.ts"
import { repeatedInput } from "../score/replay.ts"
import {
  type Answer,
  type Compare,
  compareAll,
  compared,
  type Comparison,
  type ComparisonCounts,
  isLeftOut,
} from "./comparison.ts"
import { weighedPhone } from "./weighed-phone.ts"

/** A policy that is tried on what was decided under others. */
export interface Proposal {
  readonly proposal: ScoringSettings
  readonly models: Models
}

export type BackTest = Proposal & Omit<Comparison, "comparison">

/**
 * Computes past decisions again, with the weights of a proposed policy in place of those they were
 * made with. What was known of an identity at that time stays as it is recorded.
 */
export async function backTest(test: BackTest): Promise<ComparisonCounts> {
  return await compareAll({ ...test, comparison: (counts) => proposalComparison(test, counts) })
}

/** Compares what was decided with what the proposal decides from the same input. */
export function proposalComparison(
  { proposal, models }: Proposal,
  counts: ComparisonCounts,
): Compare {
  const email = models.email(proposal.emailModel)
  const phone = models.phone(proposal.phoneModel)
  const { leftOut, lacking } = counts
  return (decision) => {
    if (isLeftOut(decision, counts)) return null
    const repeated = repeatedInput(decision, models)
    if ("fault" in repeated) {
      leftOut[repeated.fault]++
      return null
    }
    const { after, lacks } =
      decision.identityType === "email"
        ? emailAnswer(repeated.input as EmailInput, proposal, email)
        : phoneAnswer(repeated.input as PhoneInput, proposal, phone)
    if (lacks.length > 0) {
      lacking.inputs++
      for (const member of lacks)
        if (!lacking.members.includes(member)) lacking.members.push(member)
    }
    return compared(decision, after, counts)
  }
}

interface ProposedAnswer {
  readonly after: Answer
  /** Members the model reads and that nobody looked for when the input was written. */
  readonly lacks: readonly string[]
}

function emailAnswer(
  input: EmailInput,
  { emailSettings: settings }: ScoringSettings,
  model: EmailModel,
): ProposedAnswer {
  const { risk_score, recommended_action } = emailOutcome({ ...input, settings }, model)
  return {
    after: { score: risk_score, action: recommended_action },
    lacks: lackingEmailMembers(input, model),
  }
}

function phoneAnswer(
  recorded: PhoneInput,
  proposal: ScoringSettings,
  model: PhoneModel,
): ProposedAnswer {
  const { risk_score, recommendation } = phoneOutcome(
    weighedPhone(recorded, proposal, model),
    model,
  )
  return {
    after: { score: risk_score, action: recommendation },
    lacks: lackingPhoneMembers(recorded, model),
  }
}
