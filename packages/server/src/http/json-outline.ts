const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** No body of ours is nested deeper than six; a parser takes a second for millions of brackets. */
export const DEPTH_MAX = 32

/**
 * Follows the brackets, commas and texts of JSON, byte by byte, without parsing it. For bytes that
 * are no JSON the result means nothing; the parser refuses them.
 */
export class JsonOutline {
  /** How deep the bytes so far were nested at most. */
  deepest = 0
  /** How many objects, arrays, members and items they began, give or take the first of each. */
  parts = 0
  #depth = 0
  #inText = false
  #escaped = false
  #before = 0
  readonly #onSplit: OnSplit | undefined

  constructor(onSplit?: OnSplit) {
    this.#onSplit = onSplit
  }

  /** Takes the next bytes; stops where they are nested too deep. */
  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && this.deepest <= DEPTH_MAX; at++) {
      const byte = bytes[at] as number
      if (this.#inText) {
        if (this.#escaped) this.#escaped = false
        else if (byte === BACKSLASH) this.#escaped = true
        else if (byte === QUOTE) this.#inText = false
      } else if (byte === QUOTE) {
        this.#inText = true
      } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        if (this.#depth === 0) this.#onSplit?.(this.#before + at, byte)
        this.#depth++
        this.parts++
        if (this.#depth > this.deepest) this.deepest = this.#depth
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        this.#depth--
        if (this.#depth === 0) this.#onSplit?.(this.#before + at, byte)
      } else if (byte === COMMA) {
        this.parts++
        if (this.#depth === 1) this.#onSplit?.(this.#before + at, byte)
      }
    }
    this.#before += bytes.length
  }
}

/**
 * Called with the offset, over all bytes so far, of every bracket and comma of the outermost array.
 */
export type OnSplit = (at: number, byte: number) => void
