import {
  EvidenceItem,
  EvidenceRequest,
  EvidenceResult,
  IdempotencyHeaders,
} from "@assay/core/contract"
import { Type } from "typebox"
import { tenantOf } from "../accounts/callers.ts"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import { applyAllEvidence } from "../intake/apply-evidence.ts"
import {
  type EvidenceIntake,
  evidencePort,
  openEvidenceWriter,
  type TenantOutcome,
} from "../intake/evidence-writer.ts"
import type { Secrets } from "@assay/runtime/secrets"
import { claimRefusal, idempotencyClaim } from "../http/idempotency.ts"
import { refuseCompression } from "../http/json-body.ts"
import { NDJSON } from "../http/ndjson-body.ts"
import { failures, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"
import { EVIDENCE_BODY_MAX } from "../http/sizes.ts"
import { EVIDENCE_ROUTE } from "@assay/stores/records-evidence"
import { readJsonLines } from "./read-json-lines.ts"
import { readLines } from "./read-lines.ts"
import { problemOf } from "../intake/refusal.ts"

const response: Record<number, object> = {
  200: {
    description:
      "What became of each line, in the media type of the request. What is stored or known is in your next score.",
    content: {
      "application/json": { schema: named(EvidenceResult) },
      [NDJSON]: { schema: named(EvidenceItem) },
    },
  },
  ...failures("idempotency-in-progress", "idempotency-mismatch", ...FAILURES_WITHOUT_LOOKUP),
}

const schema = {
  operationId: "sendEvidence",
  summary: "Send evidence of your own about identities",
  tags: ["Evidence"],
  security: [{ apiKey: [] }],
  headers: IdempotencyHeaders,
  body: {
    content: {
      "application/json": { schema: named(EvidenceRequest) },
      [NDJSON]: {
        schema: Type.Unsafe<Buffer>({
          description:
            "One line of evidence a line, at most 4 KiB each; blank lines are passed over. The same limits hold as for an array.",
        }),
      },
    },
  },
  response,
}

export interface EvidenceServices {
  readonly secrets: Secrets
  readonly now: () => number
}

export const evidence: Feature<EvidenceServices, EvidenceIntake> = {
  routes: evidenceRoutes,
  port: evidencePort,
  writer: async (primary) =>
    openEvidenceWriter({
      ...primary,
      // Nodes that cannot be told now are told later, and the index counts beside what they
      // remember.
      forget: (key) => primary.forgetSignals(key).catch(() => undefined),
    }),
  replay: applyAllEvidence,
}

/** Evidence a tenant has of its own, for its own scores. */
async function evidenceRoutes(
  app: App,
  services: EvidenceServices,
  intake: EvidenceIntake,
): Promise<void> {
  // In a scope of their own: other routes read lines while they come, this one all at once.
  await app.register(async (scope) => {
    scope.removeContentTypeParser("application/json")
    scope.addContentTypeParser("application/json", { parseAs: "buffer" }, readJsonLines)
    scope.addContentTypeParser(NDJSON, { parseAs: "buffer" }, (request, body, done) => {
      done(refuseCompression(request.headers["content-encoding"]), body)
    })
    evidenceRoute(scope, services, intake)
  })
}

function evidenceRoute(app: App, { secrets, now }: EvidenceServices, intake: EvidenceIntake): void {
  const route = { schema, bodyLimit: EVIDENCE_BODY_MAX }

  app.post("/api/v1/evidence", route, async (request, reply) => {
    const { caller, headers } = request
    const body = request.body as Buffer | readonly unknown[]
    const by = tenantOf(caller, "Evidence")
    const lines = await readLines(body, secrets, now())
    const name = headers["idempotency-key"]
    const claim = idempotencyClaim(name, caller, EVIDENCE_ROUTE, body, secrets.subkeys.context)
    const submission = await intake.submit({ ...by, lines }, claim)
    if (submission.state !== "stored") throw claimRefusal(submission.state)
    const results = submission.outcomes.map(itemOf)
    if (!Buffer.isBuffer(body)) return { results }
    return reply.type(NDJSON).send(results.map((item) => `${JSON.stringify(item)}\n`).join(""))
  })
}

function itemOf(outcome: TenantOutcome, index: number): EvidenceItem {
  if (typeof outcome === "string") return { index, status: outcome }
  return { index, problem: problemOf(outcome) }
}
