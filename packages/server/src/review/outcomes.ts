import type { OutcomeReport } from "@assay/core/contract"
import { DAY_MS } from "@assay/runtime/time"
import type { PastDecisions } from "@assay/stores/decisions"
import { readTenantSettings, scoringSettings } from "../accounts/tenant-settings.ts"
import type { Models } from "../score/models.ts"
import { calibrationProposal } from "./calibration-proposal.ts"
import type { ReviewReads } from "./complete-reviews.ts"
import { outcomeCases } from "./outcome-cases.ts"
import { caseReport } from "./outcome-report.ts"

interface OutcomeSources {
  readonly records: Pick<ReviewReads, "reviews" | "feedbackSince" | "policies">
  readonly decisions: Pick<PastDecisions, "list">
  readonly models: Models
}

/** What became of a tenant's decisions of the last days, and what that says of its calibration. */
export async function outcomeReport(
  sources: OutcomeSources,
  { tenantId, days, nowMs }: { readonly tenantId: number; days: number; nowMs: number },
): Promise<OutcomeReport> {
  const { records, decisions, models } = sources
  const from = nowMs - days * DAY_MS
  const { cases, cannotTell, cut } = await outcomeCases(sources, { tenantId, from })
  const [newest] = await records.policies({ tenantId, limit: 1 })
  const policy = newest?.settings ?? {}
  const { emailModel } = scoringSettings(readTenantSettings(policy))
  const bad = cases.filter((each) => each.bad).length
  const byAnalysts = cases.filter(({ by }) => by === "analysts").length
  return {
    from: new Date(from).toISOString(),
    to: new Date(nowMs).toISOString(),
    confirmed: {
      bad,
      good: cases.length - bad,
      cannot_tell: cannotTell,
      by_analysts: byAnalysts,
      by_feedback: cases.length - byAnalysts,
      cut,
    },
    ...caseReport(cases),
    proposal: await calibrationProposal(
      { decisions, model: models.email(emailModel) },
      { tenantId, cases, policy },
    ),
  }
}
