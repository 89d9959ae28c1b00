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
 * Grows with each change of what the index stores; a newer program migrates forward, an older one
 * refuses.
 */
export const INDEX_FORMAT = 3

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
   * What live batches say of the identity: shared ones, and the tenant's own (null: shared only). A
   * batch made live before this call, in whichever process, is in the answer.
   */
  lookup(key: Uint8Array, tenantId: number | null): Promise<Found>
  catalogue(): Promise<Catalogue>
  /**
   * The batch of this fingerprint and owner, whatever its state; a new one is `loading`. A source
   * already known by this name is taken; where its description differs, the new one holds from the
   * moment the batch goes live.
   */
  openBatch(
    description: SourceDescription,
    fingerprint: string,
    at: number,
    owner?: number,
  ): Promise<Batch>
  /**
   * Adds rows to a loading batch, for its owner, and returns how many there were. Doing it again
   * changes nothing, so what was interrupted is simply repeated. Rows are held a few thousand at a
   * time and may not change meanwhile; they go in fastest ascending by key. Entries cut are counted
   * exactly where a batch names an identity in one row.
   */
  merge(batchId: number, rows: Iterable<Row> | AsyncIterable<Row>): Promise<number>
  /**
   * Makes all of a batch visible at once. A live batch stays as it is; a removed one is refused.
   */
  goLive(batchId: number, going: GoingLive, at: number): Promise<Catalogue>
  /**
   * Adds the rows of a segment to a loading batch: shared, ascending by key, an identity's rows
   * together also across blocks. Doing it again changes nothing. A subject that was erased stays
   * so. `onBlock` hears how many rows went in.
   */
  mergeSegment(
    batchId: number,
    blocks: AsyncIterable<SegmentBlock>,
    onBlock?: (rows: number) => void,
  ): Promise<MergedSegment>
  /** Changes what is said of a source, from the next lookup on. */
  changeSource(sourceId: number, change: SourceChange): Promise<Catalogue>
  /**
   * Changes what is said of several sources, all at once and only while the catalogue is of the
   * version given; null where it no longer is, and then nothing changed.
   */
  changeSources(changes: SourceChanges, version: number): Promise<Catalogue | null>
  /**
   * Forgets an identity for every owner and refuses evidence about it from then on. With a tenant,
   * only that tenant's own evidence goes, and the tenant may send new evidence.
   */
  erase(key: Uint8Array, tenantId?: number): Promise<void>
  /**
   * All that live batches of all owners say of an identity, the shared first; nothing of one that
   * was erased.
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
   * What a live batch of the tenant's own says of each row's identity becomes exactly the row's
   * entries, which all name the batch; no entries: it says nothing. Only this tenant sees them, at
   * once, and all rows change together. In an index that spans machines a failure half way may have
   * changed some; repeating the call then changes the rest.
   */
  replaceTenantEvidence(tenantId: number, batchId: number, rows: readonly Row[]): Promise<void>
  /**
   * Adds those entries whose batch says nothing of the row's identity yet, so that the first to be
   * added stays. They name live batches that the tenant owns.
   */
  addFirstTenantEvidence(tenantId: number, rows: readonly Row[]): Promise<void>
  /**
   * Adds entries to what the tenant's own batches say of each row's identity. They name live
   * batches that the tenant owns. Only this tenant sees them, at once, and all rows change
   * together; adding them again changes nothing.
   */
  addTenantEvidence(tenantId: number, rows: readonly Row[]): Promise<void>
  /**
   * Adds entries to what shared batches say of each row's identity. They name live batches that are
   * shared. Everybody sees them, at once, and all rows change together; adding them again changes
   * nothing. A subject that was erased stays so. In an index that spans machines a failure half way
   * may have added some; repeating the call adds the rest.
   */
  addSharedEvidence(rows: readonly Row[]): Promise<void>
  /**
   * Ties the index to a master secret on first use; later any other value is refused with
   * WrongSecret.
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
  /** Rows that say what another live batch of the same source says already. */
  readonly known: number
}

export interface IndexStats {
  readonly identities: number
  readonly tenantIdentities: number
  readonly bytes: number
  readonly format: number
}

/** The index could not be read or written. Never to be taken for "nothing is known". */
export class IndexUnavailable extends Explained {
  override readonly name: string = "IndexUnavailable"
  constructor(message: string, options?: ErrorOptions) {
    super("index", message, options)
  }
}

/**
 * What is stored is not what was written. The same question fails again until the index is made
 * anew.
 */
export class IndexDamaged extends IndexUnavailable {
  override readonly name = "IndexDamaged"
}

/** The index was written by a newer program. */
export class NewerIndexFormat extends IndexUnavailable {
  override readonly name = "NewerIndexFormat"
}

/** Throws unless this program can read an index of the format. */
export function requireKnownFormat(format: number): void {
  if (format > INDEX_FORMAT) {
    throw new NewerIndexFormat(
      `The index has format ${format}; this program knows formats up to ${INDEX_FORMAT}`,
    )
  }
  if (format < 1) throw new MalformedBytes("format 0")
}

/**
 * The index was made with another master secret: with this one, everyone in it would read as
 * unknown.
 */
export class WrongSecret extends IndexUnavailable {
  override readonly name = "WrongSecret"
  constructor() {
    super("The index was made with another master secret")
  }
}

/**
 * The keys of the index were made by identity/v1: by today's rules everyone in it would read as
 * unknown.
 */
export class OldIndexKeys extends IndexUnavailable {
  override readonly name = "OldIndexKeys"
  constructor() {
    super(
      oldKeysSentence(
        "The index",
        "Make a new data directory (in a cluster also an index of another name)",
      ),
    )
  }
}

/** Throws unless a stored key check value is the wanted one. */
export function requireSameKeys(stored: Uint8Array, wanted: string): void {
  const value = Buffer.from(stored).toString()
  if (value === wanted) return
  throw hasOldKeys(value) ? new OldIndexKeys() : new WrongSecret()
}
