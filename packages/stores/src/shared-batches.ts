import type { Batch, ExposureIndex, SourceDescription } from "./exposure-index.ts"

/**
 * The live shared batch of a source; opened with its source where there is none, whatever process
 * asks.
 */
export type SharedBatch = (source: string, atMs: number) => Promise<number>

/** What the fingerprint of such a batch begins with: that of an import is a digest of its files. */
const ONE_BY_ONE = "one by one "

/**
 * Whether what a batch says arrives one by one. The records hold it too and no segment does, and
 * its rows are not counted: the catalogue, which every lookup reads, does not change with each.
 */
export function arrivesOneByOne({ fingerprint }: Pick<Batch, "fingerprint">): boolean {
  return fingerprint.startsWith(ONE_BY_ONE)
}

/**
 * For shared evidence that arrives all the time: each source has one batch. A source that was
 * removed begins anew.
 */
export function sharedBatches(
  index: Pick<ExposureIndex, "catalogue" | "openBatch" | "goLive">,
  describe: (source: string) => SourceDescription,
): SharedBatch {
  const known = new Map<string, number>()
  return async (source, atMs) => {
    const { batches } = await index.catalogue()
    const before = known.get(source)
    if (before !== undefined && batches.get(before)?.state === "live") return before
    const { id } = await index.openBatch(describe(source), `${ONE_BY_ONE}${source}`, atMs)
    await index.goLive(id, { rows: 0, identities: 0 }, atMs)
    known.set(source, id)
    return id
  }
}
