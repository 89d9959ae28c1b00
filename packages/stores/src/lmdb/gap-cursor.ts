import * as lmdb from "lmdb"

/** As lmdb sees it; the same as in checked-database.ts, which imports this file. */
type BareDatabase = lmdb.Database<Uint8Array, Uint8Array>

/** What lmdb exports beside its typings: the addon that its own ranges call. */
interface Addon {
  readonly Cursor: new (db: object, transaction: 0) => { readonly address: number }
  /** Returns the length of the key that the cursor stands on then, which it copies. */
  position(cursor: number, flags: number, offset: 0, keyLength: number, end: 0): number
  /** Where it copies the value to. */
  readonly globalBuffer: Uint8Array & { readonly maxLength: number }
}

const { Cursor, position, globalBuffer } = (lmdb as unknown as { readonly nativeAddon: Addon })
  .nativeAddon

const WITH_VALUE = 0x100
const BACKWARDS = 0x400
/** In the state that lmdb's own read transaction has now. */
const ANEW = 0x2000
/** Where in the buffer of keys the addon leaves the key that it found; before it, of the value: */
const FOUND_AT = 32
const LENGTH_AT = 0
const BUFFER_AT = 4

type Internals = BareDatabase & {
  readonly db: object
  writeKey(key: Uint8Array, into: Uint8Array, at: number): number
  ensureReadTxn(): void
}

interface Opened {
  /** The addon frees it with this object, so the address alone is not enough. */
  readonly cursor: { readonly address: number }
  /** Of the whole environment: lmdb writes each key here that it looks for. */
  readonly keys: Uint8Array
  readonly view: DataView
}

/** A neighbour where it was found; good until the next read. */
export interface Neighbour {
  readonly key: Uint8Array
  readonly value: Uint8Array
  readonly valueLength: number
}

/**
 * A cursor for the neighbours of keys that are not there. lmdb's ranges find the same, and take
 * ten times as long to be made as to be walked. For processes that only read: a write transaction
 * has cursors of its own.
 */
export class GapCursor {
  readonly #bare: Internals
  #opened: Opened | null = null

  constructor(bare: BareDatabase) {
    this.#bare = bare as Internals
  }

  /**
   * Whether both neighbours of a key's place exist, are not the key itself and pass. `true` is
   * sure. `false` is not: the caller looks by ranges, which name what is wrong.
   */
  liesBetween(
    key: Uint8Array,
    passes: (neighbour: Neighbour, side: "next" | "previous") => boolean,
  ): boolean {
    this.#bare.ensureReadTxn()
    const opened = (this.#opened ??= this.#open(key))
    const next = neighbourAt(opened, key, WITH_VALUE | ANEW)
    if (next === null || !passes(next, "next")) return false
    // The cursor stands on the page already, mostly.
    const previous = neighbourAt(opened, key, WITH_VALUE | BACKWARDS)
    return previous !== null && passes(previous, "previous")
  }

  #open(key: Uint8Array): Opened {
    // lmdb shows the buffer to nobody but who writes a key into it.
    const bare = this.#bare
    const { writeKey } = bare
    let keys = key
    bare.writeKey = (each, into, at) => writeKey.call(bare, each, (keys = into), at)
    try {
      bare.doesExist(key)
    } finally {
      bare.writeKey = writeKey
    }
    return {
      cursor: new Cursor(bare.db, 0),
      keys,
      view: new DataView(keys.buffer, keys.byteOffset, FOUND_AT),
    }
  }
}

function neighbourAt(
  { cursor, keys, view }: Opened,
  key: Uint8Array,
  flags: number,
): Neighbour | null {
  keys.set(key)
  const length = position(cursor.address, flags, 0, key.length, 0)
  // None, a failure, or a key that none of ours can be.
  if (length <= 0 || length > KEY_LENGTH_MAX) return null
  const valueLength = view.getUint32(LENGTH_AT, true)
  // A long value stays where it is, in another buffer.
  if (view.getUint32(BUFFER_AT, true) !== 0 || valueLength > globalBuffer.maxLength) return null
  return { key: keys.subarray(FOUND_AT, FOUND_AT + length), value: globalBuffer, valueLength }
}

const KEY_LENGTH_MAX = 64
