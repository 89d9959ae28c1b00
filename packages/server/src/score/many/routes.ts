import {
  EmailBatchItem,
  EmailBatchRequest,
  EmailBatchResult,
  ExplainQuery,
  PhoneBatchItem,
  PhoneBatchRequest,
  PhoneBatchResult,
  RIGHTS,
} from "@assay/core/contract"
import type { IdentityKey } from "@assay/core/identity"
import { Readable } from "node:stream"
import { Type } from "typebox"
import type { CallerOf } from "../../accounts/caller-of.ts"
import { type Caller, requireRight } from "../../accounts/callers.ts"
import type { CountingServices, Limits } from "../../accounts/limits.ts"
import type { Config } from "../../base/config.ts"
import type { App } from "../../http/app.ts"
import type { Streams } from "../../http/streams.ts"
import type { Log } from "@assay/runtime/log"
import { NDJSON, readNdjsonBodies } from "../../http/ndjson-body.ts"
import { onceClosed } from "../../http/once-closed.ts"
import { COMMON_FAILURES, failures, named } from "../../http/schemas.ts"
import { BATCH_BODY_MAX } from "../../http/sizes.ts"
import { Problem } from "../../base/problem.ts"
import { type EmailServices, emailScorer } from "../email/email-scorer.ts"
import { type PhoneServices, phoneScorer } from "../phone/phone-scorer.ts"
import { batchResults, unavailable } from "./batch.ts"
import { type IdentityScorer, itemScorer, openItemFaults } from "./items.ts"
import { openRefusedLines } from "./refused-lines.ts"
import { streamedAnswers } from "./stream.ts"

interface BulkSchemas {
  readonly request: typeof EmailBatchRequest | typeof PhoneBatchRequest
  readonly item: typeof EmailBatchItem | typeof PhoneBatchItem
  readonly result: typeof EmailBatchResult
}

interface BulkOperation<Identified extends { readonly key: IdentityKey }> {
  readonly path: string
  readonly operationId: "scoreEmails" | "scorePhones"
  readonly summary: string
  /** The member of a batch that holds the identities, and the member of a line that holds one. */
  readonly members: readonly [batch: string, line: string]
  readonly schemas: BulkSchemas
  readonly scorer: IdentityScorer<Identified>
}

export interface BulkServices extends EmailServices, PhoneServices, CountingServices {
  readonly config: Pick<Config, "streamIdleSeconds">
  readonly log: Log
  readonly callerOf: CallerOf
  readonly streams: Streams
}

/** Many identities with one request: a batch as JSON, or a stream of lines. */
export async function bulkRoutes(app: App, services: BulkServices): Promise<void> {
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
  { config, log, limits, callerOf, streams, secrets, countingNow }: BulkServices,
  { path, operationId, summary, members, schemas, scorer }: BulkOperation<Identified>,
): void {
  const schema = schemaOf(operationId, summary, members[1], schemas)
  const route = { schema, bodyLimit: BATCH_BODY_MAX }

  app.post(path, route, async (request, reply) => {
    const { query, body } = request
    const faults = openItemFaults(log, request.id)
    const refused = openRefusedLines(limits)
    const callerNow = async (): Promise<Caller> => {
      const caller = await callerOf(request.raw)
      requireRight(caller, RIGHTS[operationId])
      return caller
    }
    const score = itemScorer(scorer, {
      requestId: request.id,
      explain: query.explain === "true",
      limits,
      faults,
      contextSubkey: secrets.subkeys.context,
      now: countingNow,
    })
    if (body instanceof Readable) {
      const place = openPlace(limits)
      onceClosed(reply.raw, place.leave)
      await place.hold(request.caller)
      const lines = streamedAnswers(request.raw, reply.raw, {
        requestId: request.id,
        member: members[1],
        score,
        async callerNow() {
          const caller = await callerNow()
          await place.hold(caller)
          return caller
        },
        refused,
        idleSeconds: config.streamIdleSeconds,
        streams,
        onFault: faults.note,
        onDone: faults.close,
      })
      return reply.type(NDJSON).send(lines)
    }
    const identities = (body as Readonly<Record<string, readonly unknown[]>>)[members[0]] ?? []
    const member = members[0]
    const results = await batchResults({ identities, member, score, callerNow, refused })
    faults.close()
    const away = unavailable(results)
    if (away !== null)
      throw new Problem(away, "Nothing was evaluated.", { headers: { "retry-after": "2" } })
    // Again, since each item may have taken a lookup from the month.
    reply.headers(limits.fields(request.caller))
    return { results }
  })
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
    ...failures("streams-exceeded", ...COMMON_FAILURES),
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

/** A stream's place among those its tenant may have open at once. */
interface StreamPlace {
  /**
   * Takes a place if the plan counts them and none is held yet, also when the plan changed
   * meanwhile; throws if there is none.
   */
  hold(caller: Caller): Promise<void>
  /** Gives it back. One that is taken later is given back at once. */
  leave(): void
}

function openPlace(limits: Pick<Limits, "openStream">): StreamPlace {
  let giveBack: (() => void) | null = null
  let left = false
  return {
    async hold(caller) {
      if (caller.plan.limits === null || giveBack !== null) return
      giveBack = await limits.openStream(caller)
      if (left) giveBack()
    },
    leave() {
      if (left) return
      left = true
      giveBack?.()
    },
  }
}
