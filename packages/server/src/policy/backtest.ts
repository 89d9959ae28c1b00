import { setImmediate as nextTurn } from "node:timers/promises"
import type { IdentityType } from "@assay/core/identity"
import {
  assessEmail,
  assessPhone,
  type EmailInput,
  type EmailModel,
  lackingEmailMembers,
  lackingPhoneMembers,
  type PhoneInput,
  type PhoneModel,
} from "@assay/core/score"
import { type Decision, DECISION_FORMAT, ERASED_FORMAT } from "@assay/stores/decisions"
import type { ScoringSettings } from "../accounts/tenant-settings.ts"
import type { Models } from "../score/models.ts"
import { withoutTrustInSms } from "../score/phone/phone-evidence.ts"
import { replay } from "../score/replay.ts"

/** A policy that is tried on what was decided under others. */
export interface BackTest {
  /** The decisions in pages, of any order; no more than a page is held at a time. */
  readonly pages: AsyncIterable<readonly Decision[]>
  readonly proposal: ScoringSettings
  readonly models: Models
  /** Called for each decision whose action would have been another. */
  readonly onChanged: (changed: ChangedDecision) => void
  /** Called after each page; the counts go on changing until the end. */
  readonly onPage?: (counts: BackTestCounts, page: readonly Decision[]) => void
}

export interface ChangedDecision {
  readonly id: string
  readonly kind: IdentityType
  readonly before: Answer
  readonly after: Answer
}

export interface Answer {
  readonly score: number
  readonly action: string
}

/** What a back-test found; nobody knows which of the answers are right. */
export interface BackTestCounts {
  /** Decisions whose actions were compared. */
  compared: number
  /** Compared ones whose action would have been another. */
  changed: number
  /** Those that could not be compared, by what stood in the way. */
  leftOut: {
    /** The person had the input erased. */
    erased: number
    /** Made by a model whose document is no longer here. */
    modelNotLoaded: number
    /** Computed again as it was made, the answer is not the one that is recorded. */
    notRepeated: number
    /** Written by a newer program. */
    unknownFormat: number
  }
  moves: Move[]
  /** Inputs recorded before members that the proposed model reads: it takes these as unknown. */
  lacking: { inputs: number; members: string[] }
}

/** How many decisions of a kind go from one action to another, or stay at it. */
export interface Move {
  readonly kind: IdentityType
  readonly before: string
  readonly after: string
  count: number
}

/**
 * Computes past decisions again, with the weights of a proposed policy in place of those they were
 * made with. What was known of an identity at that time stays as it is recorded.
 */
export async function backTest(test: BackTest): Promise<BackTestCounts> {
  const counts: BackTestCounts = {
    compared: 0,
    changed: 0,
    leftOut: { erased: 0, modelNotLoaded: 0, notRepeated: 0, unknownFormat: 0 },
    moves: [],
    lacking: { inputs: 0, members: [] },
  }
  const compare = comparison(test, counts)
  for await (const page of test.pages) {
    for (const decision of page) compare(decision)
    test.onPage?.(counts, page)
    // A page takes tens of milliseconds, and a process that also serves must get its turn.
    await nextTurn()
  }
  return counts
}

function comparison(
  { proposal, models, onChanged }: BackTest,
  counts: BackTestCounts,
): (decision: Decision) => void {
  const email = models.email(proposal.emailModel)
  const phone = models.phone(proposal.phoneModel)
  const { leftOut, lacking } = counts
  return (decision) => {
    if (decision.format !== DECISION_FORMAT) {
      leftOut[decision.format === ERASED_FORMAT ? "erased" : "unknownFormat"]++
      return
    }
    const replayed = replay(decision, models)
    if (replayed === null || replayed.differences.length > 0) {
      leftOut[replayed === null ? "modelNotLoaded" : "notRepeated"]++
      return
    }
    const { identityType: kind, score, action } = decision
    const { after, lacks } =
      kind === "email"
        ? emailAnswer(replayed.input as EmailInput, proposal, email)
        : phoneAnswer(replayed.input as PhoneInput, proposal, phone)
    counts.compared++
    if (lacks.length > 0) {
      lacking.inputs++
      for (const member of lacks)
        if (!lacking.members.includes(member)) lacking.members.push(member)
    }
    count(counts.moves, kind, action, after.action)
    if (after.action === action) return
    counts.changed++
    onChanged({ id: decision.id, kind, before: { score, action }, after })
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
  const { risk_score, recommended_action } = assessEmail({ ...input, settings }, model)
  return {
    after: { score: risk_score, action: recommended_action },
    lacks: lackingEmailMembers(input, model),
  }
}

function phoneAnswer(
  recorded: PhoneInput,
  { phoneSettings: settings, smsOnlyStepUp }: ScoringSettings,
  model: PhoneModel,
): ProposedAnswer {
  // The context says how well a code by SMS works, which sms_only_step_up decides together with the
  // model, and nothing else.
  const weighed = { ...recorded, ctx: undefined, settings }
  const input = smsOnlyStepUp ? withoutTrustInSms(weighed, model) : weighed
  const { risk_score, recommendation } = assessPhone(input, model)
  return {
    after: { score: risk_score, action: recommendation },
    lacks: lackingPhoneMembers(recorded, model),
  }
}

// There are few kinds and actions, so a list is searched faster than a key is made.
function count(moves: Move[], kind: IdentityType, before: string, after: string): void {
  const known = moves.find(
    (move) => move.kind === kind && move.before === before && move.after === after,
  )
  if (known === undefined) moves.push({ kind, before, after, count: 1 })
  else known.count++
}
