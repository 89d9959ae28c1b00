import { Counter, Gauge, type Registry } from "prom-client"
import { readVerification } from "@assay/stores/lmdb/verification"
import type { Log } from "@assay/runtime/log"
import { type ExposureIndex, IndexDamaged } from "@assay/stores/exposure-index"

export interface IndexHealth {
  /** The index, with every answer that damage prevented counted and logged. */
  readonly index: ExposureIndex
  /** Throws IndexDamaged where the index was found damaged when it was last read through. */
  requireSound(): void
}

/** `directory` is the index's folder; null for an index in a cluster. */
export function watchIndex(
  index: ExposureIndex,
  directory: string | null,
  registry: Registry,
  log: Log,
): IndexHealth {
  const damaged = new Counter({
    name: "assay_index_damaged_total",
    help: "Questions refused because what the index has of them is damaged.",
    registers: [registry],
  })
  const verification = (): ReturnType<typeof readVerification> =>
    directory === null ? null : readVerification(directory)
  // Every worker reports the same about the one index.
  const aggregator = "max"
  new Gauge({
    name: "assay_index_verified_timestamp_seconds",
    help: "When the index in use was last read through; 0: not yet.",
    aggregator,
    registers: [registry],
    collect() {
      this.set((verification()?.at ?? 0) / 1000)
    },
  })
  new Gauge({
    name: "assay_index_faults",
    help: "Kinds of faults found when the index in use was last read through.",
    aggregator,
    registers: [registry],
    collect() {
      this.set(verification()?.faults.length ?? 0)
    },
  })
  const noted = (error: unknown): never => {
    if (error instanceof IndexDamaged) {
      damaged.inc()
      log.error("index value damaged", { error })
    }
    throw error
  }
  const watched = <T>(work: Promise<T>): Promise<T> => work.catch(noted)
  return {
    index: {
      ...index,
      lookup: (key, tenantId) => watched(index.lookup(key, tenantId)),
      lookupInTurn(key, tenantId) {
        try {
          const found = index.lookupInTurn(key, tenantId)
          return found instanceof Promise ? watched(found) : found
        } catch (error) {
          return noted(error)
        }
      },
      catalogue: () => watched(index.catalogue()),
      ping: () => watched(index.ping()),
    },
    requireSound() {
      if ((verification()?.faults.length ?? 0) > 0) {
        throw new IndexDamaged("The index was found damaged when it was last read through")
      }
    },
  }
}
