import type { Batch, ExposureIndex, Owner, SourceDescription } from "./exposure-index.ts"

/**
 * Sources in which the service itself keeps a tenant's reports and requests. Evidence that a tenant
 * sends never uses these names, so that a tenant's own history is not mixed with what happened to
 * an identity elsewhere.
 */
export const SERVICE_SOURCES: ReadonlySet<string> = new Set(["feedback", "decisions"])

/**
 * The fingerprint of a shared batch begins with this if its evidence arrives one by one. The
 * fingerprint of an import is a digest of its files.
 */
const ONE_BY_ONE = "one by one "

/**
 * Whether the evidence of a shared batch arrives one by one. Then the records hold it too and no
 * segment does. Its rows are not counted, so that the catalogue, which every lookup reads, does not
 * change with each.
 */
export function arrivesOneByOne({ fingerprint }: Pick<Batch, "fingerprint">): boolean {
  return fingerprint.startsWith(ONE_BY_ONE)
}

/**
 * The live batch of an owner's source. If there is none, it is opened together with its source, in
 * any process.
 */
export type ArrivingBatch = (owner: Owner, source: string, atMs: number) => Promise<number>

/**
 * For evidence that arrives all the time: each source has one batch. A source that was removed
 * begins anew.
 */
export function arrivingBatches(
  index: Pick<ExposureIndex, "catalogue" | "openBatch" | "goLive">,
  describe: (source: string, owner: Owner) => SourceDescription,
): ArrivingBatch {
  const known = new Map<string, number>()
  return async (owner, source, atMs) => {
    const name = `${owner} ${source}`
    const before = known.get(name)
    if (before !== undefined) {
      const { batches } = await index.catalogue()
      if (batches.get(before)?.state === "live") return before
    }
    const fingerprint = owner === "shared" ? `${ONE_BY_ONE}${source}` : source
    const tenantId = owner === "shared" ? undefined : owner
    const { id } = await index.openBatch(describe(source, owner), fingerprint, atMs, tenantId)
    await index.goLive(id, { rows: 0, identities: 0 }, atMs)
    known.set(name, id)
    return id
  }
}
