import type { SegmentBlock } from "@assay/stores/segment-block"
import { ImportFailure } from "./import-failure.ts"

/**
 * Keyed rows on their way from the reader to the sorter: no identity and no secret is in them. A
 * frame is a header of three 32-bit little-endian numbers (rows, rows with an extended part, bytes
 * of those), then three columns of 64-bit little-endian numbers (high and low half of the identity
 * key, head of the entry), then for each extended part its row (4 bytes), its length (1 byte) and
 * its bytes. A frame of no rows ends the stream, so that a reader that died is never taken for one
 * that finished.
 */
export interface KeyedRows {
  readonly count: number
  readonly keysHigh: Buffer
  readonly keysLow: Buffer
  readonly heads: Buffer
  readonly extended: ReadonlyMap<number, Uint8Array>
}

/** Eight bytes a row in each, big-endian: the halves of the identity's key, and the head. */
export interface KeyedColumns {
  readonly keysHigh: Uint8Array
  readonly keysLow: Uint8Array
  readonly heads: Uint8Array
}

/**
 * The first half of the head of a row that is no entry but a mark: that the identity is at a
 * watched domain, whose number is the second half. No entry is dated so far ahead.
 */
export const DOMAIN_MARK = 0xffff_ffff

/** The most rows of a frame: what the sorter takes at once. */
const FRAME_ROWS = 2048
const HEADER_BYTES = 12
const COLUMN_BYTES = 8

/** Collects rows in the bytes of one frame. */
export class FrameWriter {
  readonly #keysHigh = Buffer.alloc(FRAME_ROWS * COLUMN_BYTES)
  readonly #keysLow = Buffer.alloc(FRAME_ROWS * COLUMN_BYTES)
  readonly #heads = Buffer.alloc(FRAME_ROWS * COLUMN_BYTES)
  #extended: { row: number; bytes: Uint8Array }[] = []
  #count = 0

  get full(): boolean {
    return this.#count === FRAME_ROWS
  }

  get empty(): boolean {
    return this.#count === 0
  }

  /** `key` holds 16 bytes as characters; the head is given as two 32-bit halves. */
  add(key: string, headHigh: number, headLow: number, extended: Uint8Array | null): void {
    const at = this.#count * COLUMN_BYTES
    // For so few characters a loop is faster than a call into the runtime.
    for (let i = 0; i < COLUMN_BYTES; i++) {
      this.#keysHigh[at + i] = key.charCodeAt(i)
      this.#keysLow[at + i] = key.charCodeAt(COLUMN_BYTES + i)
    }
    this.#heads.writeUInt32BE(headHigh, at)
    this.#heads.writeUInt32BE(headLow, at + 4)
    if (extended !== null) this.#extended.push({ row: this.#count, bytes: extended })
    this.#count++
  }

  /**
   * Adds rows without extended parts from columns as the frame has them, big-endian, until it is
   * full. Returns the first row that was not added.
   */
  addRows(columns: KeyedColumns, from: number, to: number): number {
    const end = Math.min(to, from + FRAME_ROWS - this.#count)
    const at = this.#count * COLUMN_BYTES
    const bytes = (column: Uint8Array): Uint8Array =>
      column.subarray(from * COLUMN_BYTES, end * COLUMN_BYTES)
    this.#keysHigh.set(bytes(columns.keysHigh), at)
    this.#keysLow.set(bytes(columns.keysLow), at)
    this.#heads.set(bytes(columns.heads), at)
    this.#count += end - from
    return end
  }

  /** The frame of the rows so far; the next one begins empty. */
  take(): Buffer {
    const columns = this.#count * COLUMN_BYTES
    const extendedBytes = this.#extended.reduce((sum, { bytes }) => sum + 5 + bytes.length, 0)
    const frame = Buffer.alloc(HEADER_BYTES + 3 * columns + extendedBytes)
    frame.writeUInt32LE(this.#count, 0)
    frame.writeUInt32LE(this.#extended.length, 4)
    frame.writeUInt32LE(extendedBytes, 8)
    let at = HEADER_BYTES
    for (const column of [this.#keysHigh, this.#keysLow, this.#heads]) {
      column.copy(frame, at, 0, columns)
      frame.subarray(at, at + columns).swap64()
      at += columns
    }
    for (const { row, bytes } of this.#extended) {
      frame.writeUInt32LE(row, at)
      frame[at + 4] = bytes.length
      frame.set(bytes, at + 5)
      at += 5 + bytes.length
    }
    this.#count = 0
    this.#extended = []
    return frame
  }
}

/** Rows as the bytes of a frame. */
export function frameOf({ count, keysHigh, keysLow, heads, extended }: KeyedRows): Buffer {
  let extendedBytes = 0
  for (const bytes of extended.values()) extendedBytes += 5 + bytes.length
  const columns = count * COLUMN_BYTES
  const frame = Buffer.allocUnsafe(HEADER_BYTES + 3 * columns + extendedBytes)
  frame.writeUInt32LE(count, 0)
  frame.writeUInt32LE(extended.size, 4)
  frame.writeUInt32LE(extendedBytes, 8)
  let at = HEADER_BYTES
  for (const column of [keysHigh, keysLow, heads]) {
    frame.set(column, at)
    at += columns
  }
  for (const [row, bytes] of extended) {
    frame.writeUInt32LE(row, at)
    frame[at + 4] = bytes.length
    frame.set(bytes, at + 5)
    at += 5 + bytes.length
  }
  return frame
}

/**
 * Makes of rows what the index takes: bytes whose order is that of the numbers. They stand in the
 * same memory each time, so that a large import leaves no garbage by the megabyte.
 */
export class SegmentBlocks {
  #keys: Buffer = Buffer.alloc(0)
  #heads: Buffer = Buffer.alloc(0)
  #half: Buffer = Buffer.alloc(0)

  /** Valid until the next one is made. */
  of({ count, keysHigh, keysLow, heads, extended }: KeyedRows): SegmentBlock {
    const length = count * COLUMN_BYTES
    if (this.#heads.length < length) {
      this.#keys = Buffer.allocUnsafeSlow(2 * length)
      this.#heads = Buffer.allocUnsafeSlow(length)
      this.#half = Buffer.allocUnsafeSlow(length)
    }
    const taken = this.#heads.subarray(0, length)
    taken.set(heads)
    taken.swap64()
    this.#putHalves(keysHigh, 0)
    this.#putHalves(keysLow, 2)
    return { count, keys: this.#keys.subarray(0, 2 * length), heads: taken, extended }
  }

  /** `place`: where in the four words of a key the two of this half stand. */
  #putHalves(column: Buffer, place: number): void {
    const half = this.#half.subarray(0, column.length)
    half.set(column)
    const from = wordsIn(half.swap64())
    const keys = wordsIn(this.#keys)
    for (let i = 0, to = place; i < from.length; i += 2, to += 4) {
      keys[to] = from[i] as number
      keys[to + 1] = from[i + 1] as number
    }
  }
}

function wordsIn({ buffer, byteOffset, length }: Buffer): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length / 4)
}

/** The last frame of a stream. */
export const END_FRAME: Buffer = Buffer.alloc(HEADER_BYTES)

/**
 * Cuts a stream of bytes into frames again. Throws if it ends before its last frame. Columns are
 * valid until the next frame is requested, extended parts for good.
 */
export async function* readFrames(stream: AsyncIterable<Buffer>): AsyncGenerator<KeyedRows> {
  const frames = new FrameAssembly()
  for await (const piece of stream) {
    for (let at = 0; at < piece.length;) {
      at += frames.take(piece.subarray(at))
      if (!frames.whole) continue
      if (frames.rows === 0) return
      yield readFrame(frames.taken())
    }
  }
  throw new ImportFailure("cut-short", "The stream of keyed rows ended before its last frame")
}

/** Puts a frame together from pieces of a stream. */
class FrameAssembly {
  #bytes: Buffer = Buffer.allocUnsafeSlow(HEADER_BYTES)
  #held = 0
  #wanted = HEADER_BYTES

  /** Takes what belongs to the frame, and returns how many bytes. */
  take(piece: Buffer): number {
    const taken = piece.copy(this.#bytes, this.#held, 0, this.#wanted - this.#held)
    this.#held += taken
    if (this.#held === HEADER_BYTES && this.#wanted === HEADER_BYTES) this.#reserve()
    return taken
  }

  get whole(): boolean {
    return this.#held === this.#wanted && this.#held >= HEADER_BYTES
  }

  get rows(): number {
    return this.#bytes.readUInt32LE(0)
  }

  /** The next frame begins; its memory is that of this one, unless that is referred to for long. */
  taken(): Buffer {
    const frame = this.#bytes.subarray(0, this.#wanted)
    const isKept = frame.readUInt32LE(4) > 0
    if (isKept) this.#bytes = Buffer.allocUnsafeSlow(HEADER_BYTES)
    this.#held = 0
    this.#wanted = HEADER_BYTES
    return frame
  }

  #reserve(): void {
    this.#wanted = frameBytes(this.#bytes)
    if (this.#bytes.length >= this.#wanted) return
    const larger = Buffer.allocUnsafeSlow(this.#wanted)
    this.#bytes.copy(larger, 0, 0, HEADER_BYTES)
    this.#bytes = larger
  }
}

function frameBytes(header: Buffer): number {
  return HEADER_BYTES + 3 * COLUMN_BYTES * header.readUInt32LE(0) + header.readUInt32LE(8)
}

function readFrame(frame: Buffer): KeyedRows {
  const count = frame.readUInt32LE(0)
  const columns = count * COLUMN_BYTES
  const column = (i: number): Buffer =>
    frame.subarray(HEADER_BYTES + i * columns, HEADER_BYTES + (i + 1) * columns)
  const extended = new Map<number, Uint8Array>()
  let at = HEADER_BYTES + 3 * columns
  for (let i = frame.readUInt32LE(4); i > 0; i--) {
    const length = frame.readUInt8(at + 4)
    extended.set(frame.readUInt32LE(at), frame.subarray(at + 5, at + 5 + length))
    at += 5 + length
  }
  return { count, keysHigh: column(0), keysLow: column(1), heads: column(2), extended }
}
