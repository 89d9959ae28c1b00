import { randomBytes } from "node:crypto"
import { RecordsError } from "@assay/stores/records-error"
import type { NewWatchItem } from "@assay/stores/records-watch"
import type { Records } from "@assay/stores/records"
import type { Settling } from "../http/feature.ts"
import type { WatchLists } from "./watch-list.ts"

interface WriterOptions {
  readonly records: Pick<Records, "addWatchItems" | "removeWatchItems">
  /** One round of bringing items up to date and scoring what is due. */
  readonly round: () => Promise<void>
  /** Looks for the proofs of domains that are due. */
  readonly checkDomains: () => Promise<unknown>
  /** Told when identities were added. */
  readonly onAdded: () => void
  /** Told when the service stops: a round under way ends soon, wherever it is. */
  readonly onEnding: () => void
  readonly now: () => number
}

/**
 * The one writer of watch lists, in the primary. Rounds run beside all else, one after the other,
 * and so do looks for proofs: a start does not wait until a million items are scored.
 */
export function openWatchWriter({
  records,
  round,
  checkDomains,
  onAdded,
  onEnding,
  now,
}: WriterOptions): WatchLists & Required<Pick<Settling, "settleDue" | "idle">> & Settling {
  let failure: Error | null = null
  let ending = false
  const beside = (work: () => Promise<unknown>) => {
    let running: Promise<unknown> | null = null
    return {
      begin(): void {
        if (ending) return
        running ??= work()
          .catch((error: unknown) => {
            // A stop closes what the work stands on.
            if (!ending)
              failure = error instanceof Error ? error : new Error("It failed", { cause: error })
          })
          .finally(() => (running = null))
      },
      async idle(): Promise<void> {
        await running
      },
    }
  }
  const rounds = beside(round)
  const checks = beside(checkDomains)
  return {
    async add(tenantId, identities, named) {
      const at = now()
      const items: NewWatchItem[] = identities.map((identity, place) => ({
        ...identity,
        id: newItemId(at, place),
        ref: identity.ref ?? newRef(),
      }))
      const domains = named.map((domain, place) => ({
        ...domain,
        id: newItemId(at, identities.length + place),
        ref: domain.ref ?? newRef(),
      }))
      try {
        const watching = await records.addWatchItems({ tenantId, at, items, domains })
        onAdded()
        checks.begin()
        rounds.begin()
        return watching
      } catch (error) {
        if (error instanceof RecordsError && error.code === "too-many") return null
        throw error
      }
    },
    remove: (tenantId, identityKeys, domains, refs) =>
      records.removeWatchItems({ tenantId, identityKeys, domains, refs }),

    // Each of them takes its turn among the nodes.
    everywhere: true,
    /** Reports why the last round, or look for proofs, failed. */
    async settleDue() {
      rounds.begin()
      checks.begin()
      const error = failure
      failure = null
      if (error !== null) throw error
    },
    async idle() {
      ending = true
      onEnding()
      await rounds.idle()
    },
  }
}

const TIME_DIGITS = 12
const PLACE_DIGITS = 4
const RANDOM_BYTES = 6

/**
 * Sorts by time and, of one request, by place. The rest is random, so that nothing can be counted.
 */
function newItemId(at: number, place: number): string {
  const time = at.toString(16).padStart(TIME_DIGITS, "0")
  const placed = place.toString(16).padStart(PLACE_DIGITS, "0")
  return `wch_${time}${placed}${randomBytes(RANDOM_BYTES).toString("hex")}`
}

function newRef(): string {
  return `ref_${randomBytes(8).toString("hex")}`
}
