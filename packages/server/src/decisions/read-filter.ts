import type { DecisionListQuery, ProblemDetails } from "@assay/core/contract"
import { scoresOf } from "@assay/core/score"
import { parseTime } from "@assay/runtime/rfc3339"
import type { DecisionQuery } from "@assay/stores/decisions"
import { Problem } from "../base/problem.ts"
import type { RequestTag } from "./request-tag.ts"

type Given = Omit<DecisionListQuery, "limit">
type Faults = NonNullable<ProblemDetails["errors"]>

/**
 * Which decisions a request means, as the store takes it. Throws a Problem that names every member
 * that does not fit; `place` is the part of the request they stand in.
 */
export function readFilter(
  { subject, stage, action, band, request_id: requestId, from, until, before, after }: Given,
  place: "query" | "body",
  requestTag: RequestTag,
): Omit<DecisionQuery, "tenantId" | "limit"> {
  const faults: Faults = []
  const moment = (member: string, text: string): number => {
    const ms = parseTime(text)
    if (ms === null)
      faults.push({ pointer: `#/${member}`, detail: "must be a time as in RFC 3339" })
    // Nothing was decided before 1970, and no id is of an earlier moment.
    return Math.max(0, ms ?? 0)
  }
  if (before !== undefined && after !== undefined)
    faults.push({ pointer: "#/after", detail: "cannot be there together with before" })
  const filter = {
    ...(subject === undefined ? {} : { identityType: subject }),
    ...(stage === undefined ? {} : { stage }),
    ...(action === undefined ? {} : { action }),
    ...(band === undefined ? {} : { scores: scoresOf(band) }),
    ...(requestId === undefined ? {} : { requestTag: requestTag(requestId) }),
    ...(from === undefined ? {} : { from: moment("from", from) }),
    ...(until === undefined ? {} : { until: moment("until", until) }),
    ...(before === undefined ? {} : { before }),
  }
  if (faults.length === 0) return filter
  throw new Problem("invalid-request", `A member of the ${place} does not fit.`, {
    errors: faults,
  })
}
