import type { ExposureIndex } from "@assay/stores/exposure-index"
import type { Records } from "@assay/stores/records"
import { eachTombstone } from "../subjects/each-tombstone.ts"
import type { Feature } from "../http/feature.ts"

/** How features bring what they keep in the records into an index, by their names. */
export type Replays = Readonly<Record<string, NonNullable<Feature<never>["replay"]>>>

export interface SettledIndex {
  /** Of how many identities each feature keeps something. */
  readonly identities: Readonly<Record<string, number>>
  readonly erased: number
}

/**
 * Brings an index that was made anew or restored in line with the records, erasures first. Doing it
 * again changes nothing.
 */
export async function settleIndex(
  records: Records,
  index: ExposureIndex,
  replays: Replays,
  nowMs: number,
): Promise<SettledIndex> {
  const erased = await eachTombstone(records, async ({ identityKey }) => {
    if (!(await index.lookup(identityKey, null)).erased) await index.erase(identityKey)
  })
  const identities: Record<string, number> = {}
  for (const [name, replay] of Object.entries(replays))
    identities[name] = await replay(records, index, nowMs)
  return { identities, erased }
}
