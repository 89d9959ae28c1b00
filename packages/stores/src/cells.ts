/**
 * Keys are hashes, so equal parts of all possible keys hold about equally many identities. The
 * parts are called cells, and are told apart by the first four bytes of a key, as a number.
 */

/** Above the first four bytes of every key. */
export const FIRSTS = 2 ** 32
/** Up to this many cells the arithmetic below is exact. */
export const CELLS_MAX = 2 ** 27

const HALF = 2 ** 16

/** The first four bytes of the key that begins at `at`. */
export function firstOf(bytes: Uint8Array, at = 0): number {
  return (
    (((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)) >>>
    0
  )
}

/** The cell of a key: `first` times `cells` by 2³², rounded down. */
export function cellOf(first: number, cells: number): number {
  const low = Math.floor(((first & 0xffff) * cells) / HALF)
  return Math.floor(((first >>> 16) * cells + low) / HALF)
}

/** The lowest first of a cell; for the number of cells itself, what is above all. */
export function cellStart(cell: number, cells: number): number {
  const high = Math.floor((cell * HALF) / cells)
  const rest = cell * HALF - high * cells
  return high * HALF + Math.ceil((rest * HALF) / cells)
}
