/**
 * Bytes that do not follow their format. The message names the place and the rule, never the bytes.
 */
export class MalformedBytes extends Error {
  override readonly name = "MalformedBytes"
}

/**
 * A place in bytes that only moves forward; `end` bounds it, since a store may lend a buffer longer
 * than its value.
 */
export class Cursor {
  readonly bytes: Uint8Array
  readonly end: number
  at: number

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  get done(): boolean {
    return this.at >= this.end
  }

  byte(): number {
    if (this.at >= this.end) throw new MalformedBytes(`cut short at byte ${this.at}`)
    return this.bytes[this.at++] as number
  }

  /** Moves past so many bytes, and returns where they began. */
  pass(length: number): number {
    const from = this.at
    if (from + length > this.end) throw new MalformedBytes(`cut short at byte ${from}`)
    this.at = from + length
    return from
  }

  bigEndian(width: number): number {
    let value = 0
    for (let i = 0; i < width; i++) value = value * 256 + this.byte()
    return value
  }

  /**
   * An unsigned LEB128 number. A longer spelling of the same number is refused, so that equal means
   * byte-equal.
   */
  varint(max: number): number {
    // Most numbers are of one byte.
    const first = this.bytes[this.at] as number
    if (first < 0x80 && first <= max && this.at < this.end) {
      this.at++
      return first
    }
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (value > max) throw new MalformedBytes(`number above ${max} before byte ${this.at}`)
      if (byte < 0x80) {
        if (byte === 0 && scale > 1) {
          throw new MalformedBytes(`number spelled too long before byte ${this.at}`)
        }
        return value
      }
      if (scale > max) throw new MalformedBytes(`number without end before byte ${this.at}`)
    }
  }

  /** A part of the same bytes, not a copy: it changes when they do. */
  take(length: number): Uint8Array {
    const from = this.at
    if (from + length > this.end) throw new MalformedBytes(`cut short at byte ${from}`)
    this.at = from + length
    return this.bytes.subarray(from, this.at)
  }
}

/** Writes an unsigned LEB128 number and returns the position after it. */
export function putVarint(value: number, into: Uint8Array, at: number): number {
  let left = value
  while (left >= 128) {
    into[at++] = (left % 128) | 0x80
    left = Math.floor(left / 128)
  }
  into[at++] = left
  return at
}
