/**
 * Bits that are added to a code of a length or a distance, and the smallest value of each (RFC
 * 1951, 3.2.5).
 */
const LENGTH_BITS = Array.from({ length: 29 }, (_, n) => (n < 28 ? Math.max(0, (n >> 2) - 1) : 0))
const DISTANCE_BITS = Array.from({ length: 30 }, (_, n) => Math.max(0, (n >> 1) - 1))
// The longest length, 258, has its own code; the steps would lead to 259.
const LENGTHS = [...smallest(3, LENGTH_BITS.slice(0, 28)), 258]
const DISTANCES = smallest(1, DISTANCE_BITS)

function smallest(first: number, bits: readonly number[]): number[] {
  let next = first
  return bits.map((count) => {
    const value = next
    next += 2 ** count
    return value
  })
}

const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

/** How many codes there are of each length, and the symbols in the order of their codes. */
interface Codes {
  readonly counts: readonly number[]
  readonly symbols: readonly number[]
}

function codesOf(lengths: readonly number[]): Codes {
  const counts = Array.from({ length: 16 }, (_, bits) =>
    bits === 0 ? 0 : lengths.filter((length) => length === bits).length,
  )
  const symbols = counts.flatMap((_, bits) =>
    bits === 0 ? [] : lengths.flatMap((length, symbol) => (length === bits ? [symbol] : [])),
  )
  return { counts, symbols }
}

/**
 * The first `max` bytes of compressed data, or null where they are not well formed. Browsers
 * inflate only asynchronously, but a report must be there when a file is chosen. Only small texts
 * are read this way, so speed does not matter.
 */
export function inflate(bytes: Uint8Array, max: number): Uint8Array | null {
  const output: number[] = []
  let position = 0
  const bits = (count: number): number => {
    let value = 0
    for (let n = 0; n < count; n++, position++)
      value |= (((bytes[position >> 3] ?? NaN) >> (position & 7)) & 1) << n
    return value
  }
  const ended = (): boolean => position > bytes.length * 8
  const symbol = ({ counts, symbols }: Codes): number => {
    let [code, first, index] = [0, 0, 0]
    for (let length = 1; length < 16; length++) {
      code |= bits(1)
      const count = counts[length] ?? 0
      if (code - first < count) return symbols[index + code - first] ?? -1
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    return -1
  }

  const copyStored = (): boolean => {
    position = (position + 7) & ~7
    const length = bits(16)
    if (length !== (~bits(16) & 0xffff)) return false
    for (let n = 0; n < length && output.length < max; n++) output.push(bits(8))
    return true
  }
  const copyCoded = (literals: Codes, distances: Codes): boolean => {
    while (output.length < max && !ended()) {
      const literal = symbol(literals)
      if (literal === 256) return true
      if (literal < 0 || literal > 285) return false
      if (literal < 256) {
        output.push(literal)
        continue
      }
      const length = (LENGTHS[literal - 257] ?? 0) + bits(LENGTH_BITS[literal - 257] ?? 0)
      const code = symbol(distances)
      const distance = (DISTANCES[code] ?? NaN) + bits(DISTANCE_BITS[code] ?? 0)
      if (!(distance <= output.length)) return false
      for (let n = 0; n < length; n++) output.push(output[output.length - distance] ?? 0)
    }
    return true
  }
  const readCodes = (): [Codes, Codes] | null => {
    const [literals, distances, count] = [bits(5) + 257, bits(5) + 1, bits(4) + 4]
    const first = Array.from({ length: 19 }, () => 0)
    for (const place of CODE_ORDER.slice(0, count)) first[place] = bits(3)
    const codes = codesOf(first)
    const lengths: number[] = []
    while (lengths.length < literals + distances) {
      const next = symbol(codes)
      if (next < 0 || ended()) return null
      if (next < 16) lengths.push(next)
      else {
        const [repeated, times] =
          next === 16
            ? [lengths.at(-1) ?? 0, 3 + bits(2)]
            : [0, next === 17 ? 3 + bits(3) : 11 + bits(7)]
        for (let n = 0; n < times; n++) lengths.push(repeated)
      }
    }
    return [codesOf(lengths.slice(0, literals)), codesOf(lengths.slice(literals))]
  }

  for (let last = 0; last === 0 && output.length < max;) {
    last = bits(1)
    const kind = bits(2)
    const codes = kind === 2 ? readCodes() : FIXED
    const done = kind === 0 ? copyStored() : kind < 3 && codes !== null && copyCoded(...codes)
    if (!done || ended()) return null
  }
  return Uint8Array.from(output.slice(0, max))
}

const FIXED: [Codes, Codes] = [
  codesOf(Array.from({ length: 288 }, (_, n) => (n < 144 ? 8 : n < 256 ? 9 : n < 280 ? 7 : 8))),
  codesOf(Array.from({ length: 30 }, () => 5)),
]
