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
export interface JsonOutline {
  /** How deep the bytes so far were nested at most. */
  readonly deepest: number
  /** How many objects, arrays, members and items they began, give or take the first of each. */
  readonly parts: number
  /** Takes the next bytes; stops where they are nested too deep. */
  push(bytes: Uint8Array): void
}

/**
 * `onSplit` is called with the offset, over all bytes so far, of every bracket and comma of the
 * outermost array.
 */
export function openJsonOutline(onSplit?: (at: number, byte: number) => void): JsonOutline {
  let depth = 0
  let deepest = 0
  let parts = 0
  let inText = false
  let escaped = false
  let before = 0
  return {
    get deepest() {
      return deepest
    },
    get parts() {
      return parts
    },
    push(bytes) {
      for (let at = 0; at < bytes.length && deepest <= DEPTH_MAX; at++) {
        const byte = bytes[at] as number
        if (inText) {
          if (escaped) escaped = false
          else if (byte === BACKSLASH) escaped = true
          else if (byte === QUOTE) inText = false
        } else if (byte === QUOTE) {
          inText = true
        } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
          if (depth === 0) onSplit?.(before + at, byte)
          depth++
          parts++
          if (depth > deepest) deepest = depth
        } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
          depth--
          if (depth === 0) onSplit?.(before + at, byte)
        } else if (byte === COMMA) {
          parts++
          if (depth === 1) onSplit?.(before + at, byte)
        }
      }
      before += bytes.length
    },
  }
}
