import type { Batch, Catalogue, Source, SourceDescription } from "@assay/stores/exposure-index"
import { arrivesOneByOne } from "@assay/stores/arriving-batches"

/** A shared source with its batches, and what the live ones hold. */
export interface HeldSource {
  readonly source: Source
  /** All but the removed ones, oldest first. */
  readonly batches: readonly Batch[]
  /** null where they arrive one by one and are not counted. */
  readonly rows: number | null
  /** An identity that several batches name is counted by each; null where they are not counted. */
  readonly identities: number | null
}

/** Shared sources of which anything is held, oldest first. */
export function heldSources(catalogue: Catalogue): HeldSource[] {
  const batches = Map.groupBy(
    [...catalogue.batches.values()].filter(({ state }) => state !== "removed"),
    ({ sourceId }) => sourceId,
  )
  const held: HeldSource[] = []
  for (const source of catalogue.sources.values()) {
    const of = batches.get(source.id)
    if (source.owner !== "shared" || of === undefined) continue
    const live = of.filter(isLive)
    const counted = !live.some(arrivesOneByOne)
    held.push({
      source,
      batches: of,
      rows: counted ? live.reduce((sum, { rows }) => sum + rows, 0) : null,
      identities: counted ? live.reduce((sum, { identities }) => sum + identities, 0) : null,
    })
  }
  return held
}

export function isLive({ state }: Batch): boolean {
  return state === "live"
}

/**
 * The date of a source: the day of the event, else of its publication, else of our acquisition,
 * each no earlier than the one before. A source without any of them counts as newer than every
 * dated one.
 */
export function sourceDate(source: SourceDescription): string | null {
  return source.eventDate ?? source.publishedDate ?? source.acquiredDate ?? null
}

/** Spam lists and invented breaches prove addresses; their passwords belong to nobody. */
export function isAddressOnly({ flags }: Pick<SourceDescription, "flags">): boolean {
  return flags.spamList || flags.fabricated
}
