import { Cursor, MalformedBytes } from "../bytes.ts"
import { cellOf, CELLS_MAX, cellStart, FIRSTS } from "../cells.ts"

/**
 * Where the buckets are. There are two databases for them, of which one is in use. An import that
 * touches most buckets moves them into the other one, from the first to the last, in as many cells
 * as will then be right: appended, they fill LMDB's pages, which changes in their midst would leave
 * half full. Each step of it is a transaction that also says here how far it came.
 */
export interface Layout {
  readonly side: Side
  readonly cells: number
  /** Under way to the other side, where these cells are whole that come before `upTo`. */
  readonly next: { readonly cells: number; readonly upTo: number } | null
}

export type Side = 0 | 1

/**
 * Identities in a bucket, where they are as many as expected. Fewer take more of what each bucket
 * costs by itself, more leave more of each page empty and make a look-up read more.
 */
export const IDENTITIES_WANTED = 24

export const FIRST_LAYOUT: Layout = { side: 0, cells: 1, next: null }

const BYTES = 5
const MOVING_BYTES = BYTES + 8

export function layoutBytes({ side, cells, next }: Layout): Buffer {
  const bytes = Buffer.alloc(next === null ? BYTES : MOVING_BYTES)
  bytes[0] = side
  bytes.writeUInt32BE(cells, 1)
  if (next !== null) {
    bytes.writeUInt32BE(next.cells, BYTES)
    bytes.writeUInt32BE(next.upTo, BYTES + 4)
  }
  return bytes
}

/** Reads the layout that stands at `at`. Throws MalformedBytes. */
export function readLayout(bytes: Uint8Array, at: number): Layout {
  const cursor = new Cursor(bytes, at, bytes.length)
  const side = cursor.byte()
  const cells = cursor.bigEndian(4)
  const next = cursor.done ? null : { cells: cursor.bigEndian(4), upTo: cursor.bigEndian(4) }
  if (side > 1 || !isCount(cells) || !cursor.done) throw new MalformedBytes("no layout")
  if (next !== null && (!isCount(next.cells) || next.upTo >= next.cells)) {
    throw new MalformedBytes("no layout of a move")
  }
  return { side: side as Side, cells, next }
}

/** Whether the bytes at `at` spell this layout. */
export function spellsLayout(
  bytes: Uint8Array,
  at: number,
  { side, cells, next }: Layout,
): boolean {
  if (bytes.length !== at + (next === null ? BYTES : MOVING_BYTES)) return false
  if (bytes[at] !== side || numberAt(bytes, at + 1) !== cells) return false
  return (
    next === null ||
    (numberAt(bytes, at + BYTES) === next.cells && numberAt(bytes, at + BYTES + 4) === next.upTo)
  )
}

function numberAt(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)) >>>
    0
  )
}

function isCount(cells: number): boolean {
  return cells >= 1 && cells <= CELLS_MAX
}

/** How many cells so many identities get. */
export function cellsFor(identities: number): number {
  return Math.min(CELLS_MAX, Math.max(1, Math.ceil(identities / IDENTITIES_WANTED)))
}

/** How many buckets a side has. */
export function cellsOn(on: Side, { side, cells, next }: Layout): number {
  if (next === null) return on === side ? cells : 0
  if (on !== side) return next.upTo
  return cells - cellOf(cellStart(next.upTo, next.cells), cells)
}

/** A row of cells that are in use, for keys whose first is from `from` on and below `end`. */
export interface Part {
  readonly side: Side
  readonly cells: number
  readonly from: number
  readonly end: number
}

export function partsOf({ side, cells, next }: Layout): Part[] {
  if (next === null) return [{ side, cells, from: 0, end: FIRSTS }]
  const between = cellStart(next.upTo, next.cells)
  return [
    { side: other(side), cells: next.cells, from: 0, end: between },
    { side, cells, from: between, end: FIRSTS },
  ]
}

export function partOf(layout: Layout, first: number): Part {
  const [one, two] = partsOf(layout) as [Part, Part?]
  return two !== undefined && first >= two.from ? two : one
}

export function other(side: Side): Side {
  return side === 0 ? 1 : 0
}
