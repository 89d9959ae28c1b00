import { probabilityOf } from "@assay/core/score"
import { firstDecisionIdAt } from "@assay/stores/decision-id"
import type { Decision, PastDecisions } from "@assay/stores/decisions"
import type { Feedback, FeedbackRecords } from "@assay/stores/records-feedback"
import type { Review, ReviewRecords } from "@assay/stores/records-reviews"
import type { Models } from "../score/models.ts"
import type { OutcomeCase } from "./outcome-report.ts"

interface CaseSources {
  readonly records: Pick<ReviewRecords, "reviews"> & Pick<FeedbackRecords, "feedbackSince">
  readonly decisions: Pick<PastDecisions, "list">
  readonly models: Models
}

export interface OutcomeCases {
  /** The oldest first, one for each decision. */
  readonly cases: readonly OutcomeCase[]
  /** Reviews that ended undecided. */
  readonly cannotTell: number
  /** Whether older ones were left out. */
  readonly cut: boolean
}

/** What one report reads at most, so that it takes seconds and a few megabytes. */
const REVIEWS_MAX = 10_000
/** Each takes a search among the decisions. */
const REPORTS_MAX = 2_000
const PAGE = 1_000

/**
 * What is confirmed of a tenant's decisions since a moment: by analysts, each about one decision,
 * and by feedback, which is taken to be about the last decision before it.
 */
export async function outcomeCases(
  sources: CaseSources,
  { tenantId, from }: { readonly tenantId: number; readonly from: number },
): Promise<OutcomeCases> {
  const { records, models } = sources
  const reviews = await decidedReviews(records, tenantId, from)
  const found = new Map<string, OutcomeCase>()
  for (const review of reviews) {
    if (review.outcome === "cannot_tell") continue
    const bad = review.outcome === "confirmed_fraud"
    found.set(review.id, { ...caseOf(review, models), bad, by: "analysts" })
  }
  const reports = await records.feedbackSince({ tenantId, from, limit: REPORTS_MAX })
  const ofReviews = new Set(reviews.map(({ feedbackId }) => feedbackId))
  for (const { report, bad } of labels(reports)) {
    if (ofReviews.has(report.id)) continue
    const decision = await lastBefore(sources, report, from)
    if (decision === null || found.has(decision.id)) continue
    found.set(decision.id, { ...caseOf(decision, models), bad, by: "feedback" })
  }
  return {
    cases: [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    cannotTell: reviews.filter(({ outcome }) => outcome === "cannot_tell").length,
    cut: reviews.length === REVIEWS_MAX || reports.length === REPORTS_MAX,
  }
}

async function decidedReviews(
  records: Pick<ReviewRecords, "reviews">,
  tenantId: number,
  from: number,
): Promise<Review[]> {
  const query = { tenantId, filter: { state: "decided", from }, limit: PAGE } as const
  const all: Review[] = []
  while (all.length < REVIEWS_MAX) {
    const before = all.at(-1)?.id
    const page = await records.reviews(before === undefined ? query : { ...query, before })
    all.push(...page)
    if (page.length < PAGE) break
  }
  return all
}

interface Label {
  readonly report: Feedback
  readonly bad: boolean
}

/** What the newest report of each identity says of its owner, if it says good or bad of them. */
function labels(newestFirst: readonly Feedback[]): Label[] {
  const seen = new Set<string>()
  return newestFirst.flatMap((report): Label[] => {
    const key = report.identityKey.toHex()
    // A changed password says nothing of who acted.
    if (report.outcome === "credential_rotated" || seen.has(key)) return []
    seen.add(key)
    if (report.outcome === "clear") return []
    return [{ report, bad: BAD.has(report.outcome) }]
  })
}

const BAD: ReadonlySet<string> = new Set(["fraud_confirmed", "takeover_confirmed"])

async function lastBefore(
  { decisions }: CaseSources,
  { tenantId, identityKey, receivedAt }: Feedback,
  from: number,
): Promise<Decision | null> {
  const before = firstDecisionIdAt(receivedAt + 1)
  const [decision] = await decisions.list({ tenantId, identityKey, from, before, limit: 1 })
  return decision ?? null
}

function caseOf(
  { id, at, identityType, action, score, modelVersion }: Review | Decision,
  models: Models,
): Omit<OutcomeCase, "bad" | "by"> {
  return { id, at, identityType, action, score, p: probability(identityType, modelVersion) }

  function probability(kind: "email" | "phone", version: string): number | null {
    try {
      return probabilityOf(score, models[kind](version).scale)
    } catch {
      return null
    }
  }
}
