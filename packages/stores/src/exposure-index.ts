import { Explained } from "@assay/runtime/explained"
import { MalformedBytes } from "./bytes.ts"
import type {
  Batch,
  Catalogue,
  GoingLive,
  Owner,
  SourceChange,
  SourceChanges,
  SourceDescription,
} from "./catalogue.ts"
import type { Entry } from "./entry.ts"
import { hasOldKeys, oldKeysSentence } from "@assay/runtime/old-keys"
import type { SegmentBlock } from "./segment-block.ts"

export { BatchRefused } from "./catalogue.ts"
export type {
  Batch,
  Catalogue,
  Circulation,
  GoingLive,
  ImportRecipe,
  Owner,
  SegmentReference,
  Source,
  SourceChange,
  SourceChanges,
  SourceDescription,
  SourceFlags,
} from "./catalogue.ts"
export type { BatchState } from "./entry-set.ts"
export type { SegmentBlock } from "./segment-block.ts"
export type { DataClass, Entry, EntryKind, SecretClass } from "./entry.ts"

/** An identity key is 16 bytes: what identity/v2 makes of a mailbox, a phone number or a domain. */
export const KEY_BYTES = 16

/**
 * Grows with each change of what an index in files stores; a newer program migrates forward, an
 * older one refuses.
 */
export const INDEX_FORMAT = 4
/** The same of an index in a cluster. */
export const CLUSTER_INDEX_FORMAT = 3
/** From this format on what is stored has checksums, in files and in a cluster. */
export const CHECKED_FORMAT = 3

export interface Row {
  readonly key: Uint8Array
  readonly entries: readonly Entry[]
}

export interface FoundEntry extends Entry {
  readonly owner: Owner
}

export interface Found {
  /** Shared entries, then the tenant's own; each in a fixed order, and of live batches only. */
  readonly entries: readonly FoundEntry[]
  /**
   * How many more entries of live batches there are than an answer rests on: at most 256 shared and
   * 64 own.
   */
  readonly cut: number
  /** The subject had it erased: nothing is held, and nothing that arrives will be. */
  readonly erased: boolean
  /** The catalogue as it was at the same moment as the entries: every batch they name is in it. */
  readonly catalogue: Catalogue
}

/**
 * What is known about identities. They are keyed hashes here: no store ever holds an e-mail address
 * or a phone number. A change whose promise resolved survives a power cut. A read that fails throws
 * IndexUnavailable; an empty answer always means that nothing is known.
 */
export interface ExposureIndex {
  /**
   * The entries of live batches about the identity: shared ones, and the tenant's own (null: shared
   * only). Includes every batch made live before this call, in any process.
   */
  lookup(key: Uint8Array, tenantId: number | null): Promise<Found>
  /**
   * As `lookup`, with no promise where the index is on this machine: it returns what was found, or
   * throws. Includes every batch made live before this turn of the event loop. What a caller was
   * told earlier is included, because its request is read in a later turn.
   */
  lookupInTurn(key: Uint8Array, tenantId: number | null): Found | Promise<Found>
  catalogue(): Promise<Catalogue>
  /**
   * The batch of this fingerprint and owner in any state; a new one is `loading`. Uses the source
   * already known by this name; if its description differs, the new one applies once the batch goes
   * live.
   */
  openBatch(
    description: SourceDescription,
    fingerprint: string,
    at: number,
    owner?: number,
  ): Promise<Batch>
  /**
   * Adds rows to a loading batch, for its owner, and returns how many there were. Doing it again
   * changes nothing, so an interrupted call is simply repeated. Rows are held a few thousand at a
   * time and may not change meanwhile; they go in fastest ascending by key. Entries cut are counted
   * exactly where a batch names an identity in one row.
   */
  merge(batchId: number, rows: Iterable<Row> | AsyncIterable<Row>): Promise<number>
  /**
   * Makes a whole batch visible at once. A live batch stays unchanged; a removed one is refused.
   */
  goLive(batchId: number, going: GoingLive, at: number): Promise<Catalogue>
  /**
   * Adds the rows of a segment to a loading batch: shared, ascending by key, an identity's rows
   * together even across blocks. Doing it again changes nothing. An erased subject stays erased.
   * `onBlock` gets the number of rows added.
   */
  mergeSegment(
    batchId: number,
    blocks: AsyncIterable<SegmentBlock>,
    onBlock?: (rows: number) => void,
  ): Promise<MergedSegment>
  /** Changes the description of a source, from the next lookup on. */
  changeSource(sourceId: number, change: SourceChange): Promise<Catalogue>
  /**
   * Changes the descriptions of several sources, all at once and only if the catalogue still has
   * the given version; otherwise returns null and changes nothing.
   */
  changeSources(changes: SourceChanges, version: number): Promise<Catalogue | null>
  /**
   * Forgets an identity for every owner and refuses evidence about it from then on. With a tenant,
   * only that tenant's own evidence goes, and the tenant may send new evidence.
   */
  erase(key: Uint8Array, tenantId?: number): Promise<void>
  /**
   * All entries of live batches of all owners about an identity, the shared first; nothing for an
   * erased one.
   */
  holdings(key: Uint8Array): Promise<Found>
  /**
   * Hides all of a batch at once and for good. Entries it had displaced return when the index is
   * rebuilt.
   */
  removeBatch(batchId: number, at: number): Promise<Catalogue>
  /**
   * Removes all batches of a source, loading ones too, at once. The same files may be imported
   * again as new batches.
   */
  removeSource(sourceId: number, at: number): Promise<Catalogue>
  /**
   * Replaces the entries of a live batch of the tenant's own about each row's identity by the row's
   * entries, which all name the batch; a row without entries leaves none. Only this tenant sees
   * them, at once, and all rows change together. In an index that spans machines a failure half way
   * may have changed some; repeating the call then changes the rest.
   */
  replaceTenantEvidence(tenantId: number, batchId: number, rows: readonly Row[]): Promise<void>
  /**
   * The same for one identity, by entries that follow from what other stores say. `entriesNow` is
   * called after the index was read and again where it changed before it was written: of several
   * processes the one that writes last has read everything that the others had.
   */
  restateTenantEvidence(
    tenantId: number,
    batchId: number,
    key: Uint8Array,
    entriesNow: () => Promise<readonly Entry[]>,
  ): Promise<void>
  /**
   * Adds those entries whose batch has none for the row's identity yet, so that the first one added
   * stays. They name live batches that the tenant owns.
   */
  addFirstTenantEvidence(tenantId: number, rows: readonly Row[]): Promise<void>
  /**
   * Adds entries about each row's identity to the tenant's own batches. They name live batches that
   * the tenant owns. Only this tenant sees them, at once, and all rows change together; adding them
   * again changes nothing.
   */
  addTenantEvidence(tenantId: number, rows: readonly Row[]): Promise<void>
  /**
   * Adds entries about each row's identity to shared batches. They name live shared batches.
   * Everybody sees them, at once, and all rows change together; adding them again changes nothing.
   * An erased subject stays erased. In an index that spans machines a failure half way may have
   * added some; repeating the call adds the rest.
   */
  addSharedEvidence(rows: readonly Row[]): Promise<void>
  /**
   * Ties the index to a master secret on first use; later any other value is refused with
   * IndexUnavailable.
   */
  checkKeyCheckValue(value: string): Promise<void>
  stats(): Promise<IndexStats>
  /**
   * Writes a copy of the index, as of one moment, into a directory that does not exist yet, from
   * which it can be opened in the place of this one. False where the index lies elsewhere than in
   * files, and nothing was written.
   */
  copyTo(directory: string): Promise<boolean>
  /**
   * Reads up to `count` identities spread evenly over the index, and as many of tenants, and counts
   * unreadable ones.
   */
  sample(count: number): Promise<{ read: number; faults: number }>
  /** Resolves when format and catalogue are readable right now. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface MergedSegment {
  readonly rows: number
  readonly identities: number
  /** Rows that repeat another live batch of the same source. */
  readonly known: number
}

export interface IndexStats {
  readonly identities: number
  readonly tenantIdentities: number
  readonly bytes: number
  readonly format: number
}

/**
 * Why an index cannot be used, where that is known: there is none, a newer program wrote it, or its
 * keys were made with another secret or by identity/v1, so that everyone in it would read as
 * unknown.
 */
export type IndexFault = "unavailable" | "none" | "newer-format" | "wrong-secret" | "old-keys"

/** The index could not be read or written. Never to be taken for "nothing is known". */
export class IndexUnavailable extends Explained<IndexFault> {
  override readonly name: string = "IndexUnavailable"
  constructor(message: string, options: ErrorOptions = {}, code: IndexFault = "unavailable") {
    super(code, message, options)
  }
}

/**
 * The stored bytes are not what was written. The same read fails again until the index is rebuilt.
 */
export class IndexDamaged extends IndexUnavailable {
  override readonly name = "IndexDamaged"
}

/** Throws unless this program can read an index of the format, of which it makes the newest. */
export function requireKnownFormat(format: number, newest: number): void {
  if (format > newest) {
    throw new IndexUnavailable(
      `The index has format ${format}; this program knows formats up to ${newest}`,
      {},
      "newer-format",
    )
  }
  if (format < 1) throw new MalformedBytes("format 0")
}

/** Throws unless a stored key check value is the wanted one. */
export function requireSameKeys(stored: Uint8Array, wanted: string): void {
  const value = Buffer.from(stored).toString()
  if (value === wanted) return
  if (!hasOldKeys(value)) {
    const message = "The index was made with another master secret"
    throw new IndexUnavailable(message, {}, "wrong-secret")
  }
  const again = "Make a new data directory (in a cluster also an index of another name)"
  throw new IndexUnavailable(oldKeysSentence("The index", again), {}, "old-keys")
}
