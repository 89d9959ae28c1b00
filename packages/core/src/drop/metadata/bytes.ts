/**
 * An unsigned number of `size` bytes. Past the end it is NaN, with which every comparison fails.
 */
export function uint(bytes: Uint8Array, at: number, size: number, little = false): number {
  let value = 0
  for (let n = 0; n < size; n++)
    value = value * 256 + (bytes[at + (little ? size - 1 - n : n)] ?? NaN)
  return value
}

/** The bytes as characters of the same number, so that patterns can be used on them. */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = ""
  // In pieces, because a call takes only a limited number of arguments. `apply` takes any list of
  // numbers, and is faster than a spread.
  for (let at = start; at < end; at += 8192) {
    const piece = bytes.subarray(at, Math.min(at + 8192, end)) as unknown as number[]
    text += String.fromCharCode.apply(null, piece)
  }
  return text
}

/** Bytes of characters below 256. */
export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

export function startsWith(bytes: Uint8Array, text: string, at = 0): boolean {
  return latin1(bytes, at, at + text.length) === text
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
