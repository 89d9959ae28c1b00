import {
  EmailBatchItem,
  EmailBatchRequest,
  EmailBatchResult,
  ExplainQuery,
  PhoneBatchItem,
  PhoneBatchRequest,
  PhoneBatchResult,
} from "@assay/core/contract"
import type { IdentityKey } from "@assay/core/identity"
import type { FastifyRequest } from "fastify"
import { Readable } from "node:stream"
import { Type } from "typebox"
import { requireScope } from "../accounts/callers.ts"
import type { App, Services } from "../app.ts"
import { NDJSON, readNdjsonBodies } from "../http/ndjson-body.ts"
import { COMMON_FAILURES, failures, named } from "../http/schemas.ts"
import { BATCH_BODY_MAX } from "../http/sizes.ts"
import { Problem } from "../problem.ts"
import { emailScorer } from "../score/email-scorer.ts"
import { phoneScorer } from "../telecom/phone-scorer.ts"
import { batchResults, couldNotBeChecked } from "./batch.ts"
import { openItemFaults } from "./item-faults.ts"
import { type IdentityScorer, itemScorer } from "./items.ts"
import { streamedAnswers } from "./stream.ts"

interface BulkSchemas {
  readonly request: typeof EmailBatchRequest | typeof PhoneBatchRequest
  readonly item: typeof EmailBatchItem | typeof PhoneBatchItem
  readonly result: typeof EmailBatchResult
}

interface BulkOperation<Identified extends { readonly key: IdentityKey }> {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  /** The member of a batch that holds the identities, and the member of a line that holds one. */
  readonly members: readonly [batch: string, line: string]
  readonly schemas: BulkSchemas
  readonly scorer: IdentityScorer<Identified>
}

/** Many identities with one request: a batch as JSON, or a stream of lines. */
export async function bulkRoutes(app: App, services: Services): Promise<void> {
  // In a scope of their own, since no other route takes a stream.
  await app.register(async (scope) => {
    readNdjsonBodies(scope)
    bulkRoute(scope, services, {
      path: "/api/v1/risk/score/batch",
      operationId: "scoreEmails",
      summary: "Score many e-mail addresses",
      members: ["emails", "email"],
      schemas: { request: EmailBatchRequest, item: EmailBatchItem, result: EmailBatchResult },
      scorer: emailScorer(services),
    })
    bulkRoute(scope, services, {
      path: "/api/v1/phone-risk/batch",
      operationId: "scorePhones",
      summary: "Score many phone numbers",
      members: ["phone_numbers", "phone_number"],
      schemas: { request: PhoneBatchRequest, item: PhoneBatchItem, result: PhoneBatchResult },
      scorer: phoneScorer(services),
    })
  })
}

function bulkRoute<Identified extends { readonly key: IdentityKey }>(
  app: App,
  { config, log, limits, callers, streams, secrets, now }: Services,
  { path, operationId, summary, members, schemas, scorer }: BulkOperation<Identified>,
): void {
  const schema = schemaOf(operationId, summary, members[1], schemas)
  const route = { schema, config: { scope: "score" as const }, bodyLimit: BATCH_BODY_MAX }

  app.post(path, route, async (request, reply) => {
    const { caller, query, body } = request
    const admission = await limits.admitMany(caller)
    reply.headers(admission.headers)
    const faults = openItemFaults(log, request.id)
    const score = itemScorer(scorer, {
      caller,
      explain: query.explain === "true",
      admission,
      faults,
      contextSubkey: secrets.subkeys.context,
      now,
    })
    if (body instanceof Readable) {
      const lines = streamedAnswers(request.raw, reply.raw, {
        requestId: request.id,
        member: members[1],
        score,
        checkCaller: () => checkCaller(request),
        idleSeconds: config.streamIdleSeconds,
        streams,
        onFault: faults.note,
        onDone() {
          admission.close()
          faults.close()
        },
      })
      return reply.type(NDJSON).send(lines)
    }
    const identities = (body as Readonly<Record<string, readonly unknown[]>>)[members[0]] ?? []
    const results = await batchResults(identities, members[0], score)
    faults.close()
    if (!couldNotBeChecked(results)) {
      admission.close()
      return { results }
    }
    admission.close("failed")
    throw new Problem("store-unavailable", "Nothing was evaluated.", {
      headers: { "retry-after": "2" },
    })
  })

  /** A key that was revoked, or has expired, ends the stream it opened. */
  async function checkCaller({ headers }: FastifyRequest): Promise<void> {
    requireScope(await callers.authenticate(headers.authorization), ["score"])
  }
}

function schemaOf(
  operationId: string,
  summary: string,
  lineMember: string,
  { request, item, result }: BulkSchemas,
) {
  const line = `One JSON value a line: \`{"${lineMember}": "…"}\` or the text alone, at most 4 KiB.`
  const response: Record<number, object> = {
    200: {
      description:
        "The assessments, in the media type of the request. A stream has one line for each line that is not blank, in order; a line without `index` ends it early.",
      content: {
        "application/json": { schema: named(result) },
        [NDJSON]: { schema: named(item) },
      },
    },
    ...failures(...COMMON_FAILURES),
  }
  return {
    operationId,
    summary,
    tags: ["Score"],
    security: [{ apiKey: [] }],
    body: {
      content: {
        "application/json": { schema: named(request) },
        [NDJSON]: { schema: Type.Unsafe<Readable>({ description: line }) },
      },
    },
    querystring: ExplainQuery,
    response,
  }
}
