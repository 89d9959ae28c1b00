import { CHECKSUM_BYTES, checksumOf, putChecksum } from "../checksum.ts"
import { HEAVY_BYTES } from "./layout.ts"

const FIRST_BYTES = 65_536
/** Before the field, in what a checksum covers. */
const BUCKET_BYTES = 4
const LENGTH_BYTES = 2

/**
 * Shared values for the fields of one bucket as one argument of a command, in the form that
 * `fillBucket` reads. An argument for each field would cost the client more than all else of it.
 */
export class PackedValues {
  readonly #fieldBytes: number
  readonly #checked: boolean
  /** The bucket and the field, which a checksum covers with the value. */
  readonly #place: Buffer
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #at = 0

  constructor(fieldBytes: number, checked: boolean) {
    this.#fieldBytes = fieldBytes
    this.#checked = checked
    this.#place = Buffer.alloc(BUCKET_BYTES + fieldBytes)
  }

  /** Forgets what was added; the next ones are of this bucket. */
  begin(bucket: number): void {
    this.#place.writeUInt32BE(bucket)
    this.#at = 0
  }

  /**
   * Adds the value for the field that begins at `from` in `fields`. One too long for its bucket is
   * left out of it: its place is packed without a value.
   */
  add(fields: Uint8Array, from: number, value: Uint8Array): void {
    const length = value.length > HEAVY_BYTES ? 0 : value.length
    this.#reserve(this.#fieldBytes + LENGTH_BYTES + length + CHECKSUM_BYTES)
    const bytes = this.#bytes
    let at = this.#at
    for (let i = 0; i < this.#fieldBytes; i++) {
      const byte = fields[from + i] as number
      this.#place[BUCKET_BYTES + i] = byte
      bytes[at++] = byte
    }
    const stored = length === 0 || !this.#checked ? length : length + CHECKSUM_BYTES
    bytes[at++] = stored >>> 8
    bytes[at++] = stored
    for (let i = 0; i < length; i++) bytes[at++] = value[i] as number
    if (stored > length) {
      putChecksum(checksumOf(this.#place, value, length), bytes, at)
      at += CHECKSUM_BYTES
    }
    this.#at = at
  }

  /** A copy of all that was added. */
  taken(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#at))
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return
    const bytes = Buffer.allocUnsafeSlow(2 * (this.#at + length))
    bytes.set(this.#bytes.subarray(0, this.#at))
    this.#bytes = bytes
  }
}
