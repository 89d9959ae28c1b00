import { setImmediate as nextTurn } from "node:timers/promises"
import type { OutcomeReport } from "@assay/core/contract"
import {
  type EmailInput,
  type EmailModel,
  explainEmail,
  fitCalibration,
  type Label,
  labelsLack,
  type Quality,
} from "@assay/core/score"
import { sha256 } from "@assay/runtime/secrets"
import { DECISION_FORMAT, type PastDecisions } from "@assay/stores/decisions"
import type { OutcomeCase } from "./outcome-report.ts"

interface ProposalSources {
  readonly decisions: Pick<PastDecisions, "list">
  /** The one that answers for the tenant. */
  readonly model: EmailModel
}

export interface ProposedFor {
  readonly tenantId: number
  /** The oldest first. */
  readonly cases: readonly OutcomeCase[]
  /** What is set for the tenant. */
  readonly policy: Readonly<Record<string, unknown>>
}

type Proposal = OutcomeReport["proposal"]

/** Decisions scored before others get their turn: some 10 ms. */
const SCORED_AT_ONCE = 50

/**
 * A calibration that fits what became of a tenant's e-mail decisions, as a whole policy to try on
 * past decisions. Cases count whose input is still there and can be scored by the present model.
 */
export async function calibrationProposal(
  { decisions, model }: ProposalSources,
  { tenantId, cases, policy }: ProposedFor,
): Promise<Proposal> {
  const ofEmail = cases.filter(({ identityType }) => identityType === "email")
  const nothing = { model_version: model.version, policy: null, held_out: null }
  // Counted before a single input is read: most tenants have too few.
  const tooFew = labelsLack(ofEmail.map(({ bad }) => ({ p: 0.5, floor: null, bad })))
  if (tooFew !== null) return { ...nothing, lacks: tooFew, labels: ofEmail.length }

  const labels: Label[] = []
  for (const [place, { id, bad }] of ofEmail.entries()) {
    if (place % SCORED_AT_ONCE === 0) await nextTurn()
    const [decision] = await decisions.list({ tenantId, before: `${id}~`, limit: 1 })
    if (decision?.id !== id || decision.format !== DECISION_FORMAT) continue
    const scored = scoredBy(model, decision.input)
    if (scored !== null) labels.push({ ...scored, bad })
  }
  const lack = labelsLack(labels)
  if (lack !== null) return { ...nothing, lacks: lack, labels: labels.length }
  const { calibration, heldOut } = fitCalibration(labels, model, sha256)
  return {
    lacks: null,
    model_version: model.version,
    labels: labels.length,
    policy: { ...policy, calibration },
    held_out: {
      cases: heldOut.rows,
      bad: heldOut.bad,
      before: qualityBody(heldOut.before),
      after: qualityBody(heldOut.after),
    },
  }
}

/** What the model says by itself: a calibration is fitted to that, and not to an older one. */
function scoredBy(model: EmailModel, json: string): Omit<Label, "bad"> | null {
  try {
    const input = JSON.parse(json) as EmailInput
    const settings = { ...input.settings, calibration: null }
    const { p, stage } = explainEmail({ ...input, settings }, model)
    return p > 0 && p < 1 ? { p, floor: stage.floor } : null
  } catch {
    return null
  }
}

function qualityBody({
  brier,
  ece,
  logLoss,
  auc,
}: Quality): NonNullable<Proposal["held_out"]>["before"] {
  return { brier, ece, log_loss: logLoss, auc }
}
