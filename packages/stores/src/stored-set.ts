import { MalformedBytes } from "./bytes.ts"
import type { Batch, Catalogue, CatalogueDocument, Owner } from "./catalogue.ts"
import { entryBytes, type Entry } from "./entry.ts"
import {
  isTombstone,
  readEntrySet,
  SHARED_ENTRIES_MAX,
  TENANT_ENTRIES_MAX,
  visibleEntries,
} from "./entry-set.ts"
import type { FoundEntry } from "./exposure-index.ts"

/**
 * An entry names a batch that the catalogue at hand lacks: the catalogue is older, or the entry is
 * damaged.
 */
export class UnknownBatch extends MalformedBytes {}

/** The findings about an identity so far. */
export interface Finding {
  readonly entries: FoundEntry[]
  cut: number
  readonly erased: boolean
  readonly catalogue: Catalogue
}

/** Adds the entries of an owner's live batches in a stored set. Throws UnknownBatch. */
export function addFound(finding: Finding, stored: Uint8Array | undefined, owner: Owner): void {
  if (stored === undefined) return
  const { batches } = finding.catalogue
  const isVisible = (batchId: number): boolean => {
    const batch = batches.get(batchId)
    if (batch === undefined) throw new UnknownBatch("entry of an unknown batch")
    return batch.state === "live" && batch.owner === owner
  }
  const set = readEntrySet(stored)
  if (set.cuts.size === 0 && set.entries.length <= entriesMax(owner)) {
    // Nearly every set: nothing was cut and nothing is to be.
    for (const entry of set.entries) {
      if (isVisible(entry.batchId)) finding.entries.push({ ...entry, owner })
    }
    return
  }
  const { entries, cut } = visibleEntries(set, entriesMax(owner), isVisible)
  for (const entry of entries) finding.entries.push({ ...entry, owner })
  finding.cut += cut
}

const NOBODY: readonly number[] = []

/** The tenants to look at for an answer; one without any evidence is passed over. */
export function tenantsAsked(
  { tenants }: CatalogueDocument,
  asked: number | "all" | null,
): Iterable<number> {
  if (asked === "all") return tenants
  return asked !== null && tenants.has(asked) ? [asked] : NOBODY
}

/** The most entries of one identity that an owner keeps. */
export function entriesMax(owner: Owner): number {
  return owner === "shared" ? SHARED_ENTRIES_MAX : TENANT_ENTRIES_MAX
}

/** The state of each batch by a catalogue. Throws UnknownBatch. */
export function statesIn({ batches }: Catalogue): (batchId: number) => Batch["state"] {
  return (batchId) => {
    const batch = batches.get(batchId)
    if (batch === undefined) throw new UnknownBatch("entry of an unknown batch")
    return batch.state
  }
}

/** How many of a batch's entries another live batch of the same source has too. */
export function countKnown(
  stored: Uint8Array | undefined,
  entries: readonly Entry[],
  { batches }: Catalogue,
  batchId: number,
): number {
  if (stored === undefined) return 0
  const sourceId = batches.get(batchId)?.sourceId
  const held = new Set<string>()
  for (const entry of readEntrySet(stored).entries) {
    const batch = batches.get(entry.batchId)
    if (batch?.sourceId === sourceId && batch?.state === "live") held.add(said(entry))
  }
  return held.size === 0 ? 0 : entries.filter((entry) => held.has(said(entry))).length
}

/** The content of an entry without its batch. */
function said(entry: Entry): string {
  return Buffer.from(entryBytes({ ...entry, batchId: 1 })).toString("latin1")
}

/** Whether a stored value is an entry set or a tombstone. */
export function isReadable(value: Uint8Array): boolean {
  if (isTombstone(value)) return true
  try {
    readEntrySet(value)
    return true
  } catch (error) {
    if (error instanceof MalformedBytes) return false
    throw error
  }
}
