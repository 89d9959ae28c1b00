import {
  FEEDBACK_ID_PATTERN,
  FeedbackParams,
  FeedbackReceipt,
  FeedbackRequest,
  IdempotencyHeaders,
} from "@assay/core/contract"
import { tenantOf } from "../accounts/callers.ts"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import { applyAllFeedback } from "../intake/apply-feedback.ts"
import { type FeedbackIntake, feedbackPort, openFeedbackWriter } from "../intake/feedback-writer.ts"
import type { Secrets } from "@assay/runtime/secrets"
import { claimRefusal, idempotencyClaim } from "../http/idempotency.ts"
import { failures, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"
import { Problem } from "../base/problem.ts"
import { FEEDBACK_ROUTE } from "@assay/stores/records-feedback"
import { readReport } from "./read-report.ts"

const sendSchema = {
  operationId: "sendFeedback",
  summary: "Report what became of an identity",
  tags: ["Feedback"],
  security: [{ apiKey: [] }],
  headers: IdempotencyHeaders,
  body: named(FeedbackRequest),
  response: {
    202: named(FeedbackReceipt, "Stored, and in the next score."),
    ...failures(
      "not-an-email",
      "not-a-phone-number",
      "outcome-not-applicable",
      "idempotency-in-progress",
      "idempotency-mismatch",
      ...FAILURES_WITHOUT_LOOKUP,
    ),
  },
}

const undoSchema = {
  operationId: "undoFeedback",
  summary: "Take feedback back, as if it had never been sent",
  tags: ["Feedback"],
  security: [{ apiKey: [] }],
  params: FeedbackParams,
  response: {
    204: { type: "null", description: "Undone, now or before, and in the next score." },
    ...failures(
      "unauthenticated",
      "insufficient-scope",
      "not-found",
      "feedback-not-found",
      "rate-limited",
      "internal-error",
      "store-unavailable",
      "limits-unavailable",
      "overloaded",
    ),
  },
}

const FEEDBACK_ID = new RegExp(FEEDBACK_ID_PATTERN)

export interface FeedbackServices {
  readonly secrets: Secrets
  readonly now: () => number
}

export const feedback: Feature<FeedbackServices, FeedbackIntake> = {
  routes: feedbackRoutes,
  port: feedbackPort,
  writer: openFeedbackWriter,
  replay: applyAllFeedback,
}

function feedbackRoutes(
  app: App,
  { secrets, now }: FeedbackServices,
  feedback: FeedbackIntake,
): void {
  app.post("/api/v1/feedback", { schema: sendSchema }, async (request, reply) => {
    const { body, caller, headers } = request
    const report = readReport(body, tenantOf(caller, "Feedback"), secrets, now())
    const name = headers["idempotency-key"]
    const claim = idempotencyClaim(name, caller, FEEDBACK_ROUTE, body, secrets.subkeys.context)
    const submission = await feedback.submit(report, claim)
    if (submission.state !== "stored") throw claimRefusal(submission.state)
    return reply.code(202).send({ id: submission.id })
  })

  app.delete("/api/v1/feedback/:id", { schema: undoSchema }, async (request, reply) => {
    const { params, caller } = request
    const { tenantId } = tenantOf(caller, "Feedback")
    const undone = FEEDBACK_ID.test(params.id) && (await feedback.undo(params.id, tenantId))
    if (!undone) {
      throw new Problem("feedback-not-found", "This tenant has no feedback of this id.")
    }
    return reply.code(204).send(null)
  })
}
