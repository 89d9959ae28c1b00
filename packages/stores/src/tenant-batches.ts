import type { ExposureIndex, SourceDescription } from "./exposure-index.ts"

/**
 * The live batch of a tenant; opened with its source at the first call for the tenant, whatever
 * process asks.
 */
export type TenantBatch = (tenantId: number, atMs: number) => Promise<number>

/**
 * Sources in which the service itself keeps what a tenant reported and asked. Evidence that a
 * tenant sends goes under none of these names, so that nobody's history is made of what happened to
 * an identity elsewhere.
 */
export const SERVICE_SOURCES: ReadonlySet<string> = new Set(["feedback", "decisions"])

/**
 * For evidence that arrives all the time: each tenant has one source of this description, and one
 * batch of it.
 */
export function tenantBatches(
  index: Pick<ExposureIndex, "openBatch" | "goLive">,
  source: SourceDescription,
): TenantBatch {
  const batches = new Map<number, number>()
  return async (tenantId, atMs) => {
    const known = batches.get(tenantId)
    if (known !== undefined) return known
    const { id } = await index.openBatch(source, source.name, atMs, tenantId)
    await index.goLive(id, { rows: 0, identities: 0 }, atMs)
    batches.set(tenantId, id)
    return id
  }
}
