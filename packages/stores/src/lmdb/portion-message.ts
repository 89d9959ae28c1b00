import type { SegmentBlock } from "../segment-block.ts"
import type { SpelledPortion } from "../spelled-portion.ts"

/**
 * Blocks and portions on their way between the threads of a merge. Extended parts stand in one
 * piece: a map of them costs more to hand over than all the rest, and few are ever asked for.
 */
export interface PackedBlock {
  readonly count: number
  readonly keys: Uint8Array
  readonly heads: Uint8Array
  readonly extended: PackedParts | null
}
export interface PackedPortion extends Omit<SpelledPortion, "extended"> {
  readonly extended: PackedParts | null
}

interface PackedParts {
  readonly rows: Uint32Array
  readonly ends: Uint32Array
  readonly bytes: Uint8Array
}

/** What the thread answers to each block, and to the end. */
export interface Spelled {
  /** The portion that it completed. */
  readonly portion: PackedPortion | null
  readonly isOver: boolean
  /** Why rows cannot be merged; null: they can. */
  readonly malformed: string | null
}

/** A copy that can be handed away. */
export function packedBlock({ count, keys, heads, extended }: SegmentBlock): PackedBlock {
  return {
    count,
    keys: Uint8Array.prototype.slice.call(keys),
    heads: Uint8Array.prototype.slice.call(heads),
    extended: packedParts(extended),
  }
}

export function unpackedBlock({ extended, ...block }: PackedBlock): SegmentBlock {
  return { ...block, extended: unpackedParts(extended) }
}

/** The same in memory of its own. */
export function packedPortion(portion: SpelledPortion): PackedPortion {
  const { sets, setsFrom, identities } = portion
  return {
    ...portion,
    ...packedBlock(portion),
    sets: sets.subarray(0, setsFrom[identities]),
  }
}

export function unpackedPortion(packed: PackedPortion): SpelledPortion {
  let extended: ReadonlyMap<number, Uint8Array> | null = null
  return {
    ...packed,
    get extended() {
      return (extended ??= unpackedParts(packed.extended))
    },
  }
}

/** The memory of a message, to be handed over with it. */
export function memoryOf({ extended, ...columns }: PackedBlock | PackedPortion): ArrayBuffer[] {
  const views: unknown[] = [...Object.values(columns)]
  if (extended !== null) views.push(extended.rows, extended.ends, extended.bytes)
  return views.filter((view) => ArrayBuffer.isView(view)).map(({ buffer }) => buffer as ArrayBuffer)
}

/**
 * Gives memory that was handed over back at once. Garbage of megabytes makes the collector run long
 * before there is anything else for it to find.
 */
export function release(message: PackedBlock | PackedPortion): void {
  for (const memory of memoryOf(message)) memory.transfer(0)
}

function packedParts(parts: ReadonlyMap<number, Uint8Array>): PackedParts | null {
  if (parts.size === 0) return null
  const rows = new Uint32Array(parts.size)
  const ends = new Uint32Array(parts.size)
  let size = 0
  for (const part of parts.values()) size += part.length
  const bytes = new Uint8Array(size)
  let [i, end] = [0, 0]
  for (const [row, part] of parts) {
    bytes.set(part, end)
    end += part.length
    rows[i] = row
    ends[i] = end
    i++
  }
  return { rows, ends, bytes }
}

function unpackedParts(packed: PackedParts | null): Map<number, Uint8Array> {
  const parts = new Map<number, Uint8Array>()
  if (packed === null) return parts
  const { rows, ends, bytes } = packed
  for (let i = 0, from = 0; i < rows.length; i++) {
    const to = ends[i] as number
    parts.set(rows[i] as number, bytes.subarray(from, to))
    from = to
  }
  return parts
}
