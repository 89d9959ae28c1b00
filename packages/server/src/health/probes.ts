import { timingSafeEqual } from "node:crypto"
import { Type } from "typebox"
import type { App } from "../http/app.ts"
import type { Config } from "../base/config.ts"
import type { ExposureIndex } from "@assay/stores/exposure-index"
import type { Metrics } from "../base/metrics.ts"
import { failures } from "../http/schemas.ts"
import { Problem } from "../base/problem.ts"
import { sha256 } from "@assay/runtime/secrets"

const neverShed = { neverShed: true }

const Status = Type.Object({ status: Type.Literal("ok") })

/** What load balancers and monitoring ask needs. */
export interface ProbeServices {
  readonly config: Pick<Config, "production" | "metricsToken" | "metricsPort">
  readonly index: Pick<ExposureIndex, "ping">
  /** Reads from the records, or throws. */
  readonly pingRecords: () => Promise<void>
  /** Throws where the index was found damaged when it was last read through. */
  readonly requireSoundIndex: () => void
  readonly metrics: Pick<Metrics, "text">
}

/**
 * What load balancers and monitoring ask: whether the process answers, is ready, and its metrics.
 */
export function probeRoutes(app: App, services: ProbeServices): void {
  const { config, index, pingRecords, requireSoundIndex, metrics } = services
  const live = {
    operationId: "live",
    security: [],
    summary: "Whether the process answers",
    tags: ["Operate"],
    response: { 200: Status, ...failures() },
  }
  app.get("/healthz", { schema: live, config: neverShed }, async () => ({ status: "ok" as const }))

  const ready = {
    operationId: "ready",
    security: [],
    summary: "Whether every required store can be read, and the index was not found damaged",
    tags: ["Operate"],
    response: { 200: Status, ...failures("store-unavailable") },
  }
  app.get("/readyz", { schema: ready, config: neverShed }, async () => {
    await Promise.all([index.ping(), pingRecords()])
    try {
      requireSoundIndex()
    } catch (cause) {
      throw new Problem("store-unavailable", "The index was found damaged.", { cause })
    }
    return { status: "ok" as const }
  })

  if (config.metricsPort !== null) return
  app.get("/metrics", { schema: { hide: true }, config: neverShed }, async (request, reply) => {
    allowMetrics(config, request.headers.authorization)
    return reply.type("text/plain; version=0.0.4; charset=utf-8").send(await metrics.text())
  })
}

/**
 * In production metrics need their token; how busy a service is, and with what, is nobody else's
 * business.
 */
function allowMetrics(
  { production, metricsToken }: ProbeServices["config"],
  authorization: string | undefined,
): void {
  if (metricsToken === null) {
    if (production) throw new Problem("not-found", "No operation or page has this path.")
    return
  }
  const given = sha256(Buffer.from(authorization ?? ""))
  if (timingSafeEqual(given, sha256(Buffer.from(`Bearer ${metricsToken}`)))) return
  throw new Problem("unauthenticated", "The metrics need their own token.", {
    headers: { "www-authenticate": `Bearer realm="assay metrics"` },
  })
}
