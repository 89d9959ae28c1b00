import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Readable } from "node:stream"
import {
  BackTestRequest,
  ComparisonLine,
  POLICY_DAYS_MAX,
  ShadowReportQuery,
} from "@assay/core/contract"
import type { Log } from "@assay/runtime/log"
import { DAY_MS } from "@assay/runtime/time"
import type { Records } from "@assay/stores/records"
import type { Config } from "../base/config.ts"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import { streamedLines } from "../http/line-stream.ts"
import { NDJSON } from "../http/ndjson-body.ts"
import { onceClosed } from "../http/once-closed.ts"
import { failures, FAILURES_OF_READING, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"
import { POLICY_BODY_MAX } from "../http/sizes.ts"
import type { Streams } from "../http/streams.ts"
import type { Models } from "../score/models.ts"
import { computedVersion } from "./comparison.ts"
import type { ComparisonPlaces } from "./comparison-places.ts"
import type { Comparisons } from "./comparisons.ts"
import type { WantedComparison } from "./comparisons-port.ts"
import { newestPolicy, tenantIdOf } from "./of-tenant.ts"
import { backTestedPolicy } from "./proposal.ts"

const common = { tags: ["Policy"], security: [{ session: [] }] }

const lines = {
  description:
    "One JSON value a line: `progress` about each second, `changed` for each decision whose action is another, and `summary` last. A line with `problem` ends it early. Nothing in it says which of two answers is right.",
  content: { [NDJSON]: { schema: named(ComparisonLine) } },
}

const backTestSchema = {
  ...common,
  operationId: "backTestPolicy",
  summary: "Try a policy on past decisions",
  description:
    "Computes the tenant's decisions of up to 90 days again, each from its own recorded input, and changes nothing. It ends when the caller hangs up.",
  body: named(BackTestRequest),
  response: {
    200: lines,
    ...failures(
      "policy-not-found",
      "policy-refused",
      "not-backtestable",
      "backtest-running",
      ...FAILURES_WITHOUT_LOOKUP,
    ),
  } as Record<number, object>,
}

const reportSchema = {
  ...common,
  operationId: "reportShadow",
  summary: "Compare the shadow with the policy that acts",
  description: "In the form of a back-test, from what was recorded with the decisions.",
  querystring: ShadowReportQuery,
  response: {
    200: lines,
    ...failures("shadow-not-found", "backtest-running", ...FAILURES_OF_READING),
  } as Record<number, object>,
}

export interface ComparisonServices {
  readonly policyRecords: Pick<Records, "policies" | "policy" | "shadow">
  readonly models: Models
  readonly comparisons: Comparisons
  readonly config: Pick<Config, "streamIdleSeconds">
  readonly streams: Streams
  readonly log: Log
  readonly now: () => number
}

/** How often a comparison says that it still needs its place. */
const HOLD_MS = 1_000

/** What another policy would have decided, and what the shadow did. */
export function comparisonRoutes(
  app: App,
  services: ComparisonServices,
  places: ComparisonPlaces,
): void {
  const { policyRecords: records, models } = services

  app.post(
    "/api/v1/policy/backtest",
    { schema: backTestSchema, bodyLimit: POLICY_BODY_MAX },
    async ({ caller, body, id, raw }, reply) => {
      const tenantId = tenantIdOf(caller)
      if (body.policy !== undefined && body.version !== undefined)
        throw new Problem("invalid-request", "A proposal is a policy or a version, not both.", {
          errors: [{ pointer: "#/version", detail: "must not be there beside `policy`" }],
        })
      const current = await newestPolicy(records, tenantId)
      const earlier =
        body.version === undefined
          ? null
          : await records.policy({ tenantId, version: body.version })
      if (body.version !== undefined && earlier === null)
        throw new Problem("policy-not-found", "Your policy has no such version.")
      const proposal = backTestedPolicy(body, earlier, current, models)
      const stream = await compared(services, places, raw, reply.raw, {
        requestId: id,
        tenantId,
        days: body.days ?? POLICY_DAYS_MAX,
        with: { proposal },
      })
      return reply.type(NDJSON).send(stream)
    },
  )

  app.get(
    "/api/v1/policy/shadow/report",
    { schema: reportSchema },
    async ({ caller, query, id, raw }, reply) => {
      const tenantId = tenantIdOf(caller)
      const wanted = query.version === undefined ? {} : { version: Number(query.version) }
      const shadow = await records.shadow({ tenantId, ...wanted })
      if (shadow === null)
        throw new Problem("shadow-not-found", "Nothing was computed beside the policy.")
      const stream = await compared(services, places, raw, reply.raw, {
        requestId: id,
        tenantId,
        days: Number(query.days ?? POLICY_DAYS_MAX),
        with: { shadowVersion: computedVersion(shadow) },
      })
      return reply.type(NDJSON).send(stream)
    },
  )
}

interface Wanted extends Pick<WantedComparison, "tenantId" | "with"> {
  readonly requestId: string
  readonly days: number
}

/** The lines of a comparison, which holds the tenant's place until it ends. */
async function compared(
  { comparisons, config, streams, log, now }: ComparisonServices,
  places: ComparisonPlaces,
  request: IncomingMessage,
  response: ServerResponse,
  { requestId, tenantId, days, with: other }: Wanted,
): Promise<Readable> {
  const place = { tenantId, token: randomUUID() }
  const hold = async (): Promise<void> => {
    if (await places.hold(place)) return
    throw new Problem("backtest-running", "Nothing was computed.", {
      headers: { "retry-after": "5" },
    })
  }
  await hold()
  // Also where the caller hangs up before anything is computed. A place that cannot be left ends by
  // itself after half a minute.
  onceClosed(response, () => void places.leave(place).catch(() => undefined))
  const nowMs = now()
  const fromMs = nowMs - days * DAY_MS
  async function* lines(abort: AbortSignal): AsyncGenerator<string> {
    let heldAt = performance.now()
    try {
      for await (const some of comparisons.lines({ tenantId, fromMs, nowMs, with: other })) {
        abort.throwIfAborted()
        if (performance.now() - heldAt >= HOLD_MS) {
          heldAt = performance.now()
          await hold()
        }
        if (some !== "") yield some
      }
    } finally {
      await places.leave(place)
    }
  }
  return streamedLines(request, response, {
    requestId,
    idleSeconds: config.streamIdleSeconds,
    streams,
    lines,
    onFault: (problem) =>
      log.warn("a comparison of decisions ended early", { requestId, error: problem }),
  })
}
