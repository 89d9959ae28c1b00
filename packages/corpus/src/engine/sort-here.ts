import type { ReaderChild } from "./children.ts"
import { sorterFailure } from "./import-failure.ts"
import { type KeyedRows, readFrames } from "./keyed-rows.ts"
import {
  sortIntoSegment,
  type SortedSegment,
  type SorterOptions,
  type SortProgress,
} from "./sorter.ts"

/** The most sorted rows that are kept in memory until the segment is whole. */
const KEPT_ROWS = 1_000_000

export interface SortedHere extends SortedSegment {
  /** All rows of the segment, in order; null where they are too many to keep. */
  readonly kept: readonly KeyedRows[] | null
}

/**
 * Sorts in this process what a reader puts out: for a small input, starting a process costs more
 * than all the rest. What a small file unpacks to may be large, so that memory is bounded as it is
 * there.
 */
export async function sortHere(
  reader: ReaderChild,
  options: SorterOptions,
  onProgress: (progress: SortProgress) => void,
): Promise<SortedHere> {
  let kept: KeyedRows[] | null = []
  let rows = 0
  const keep = async (more: KeyedRows): Promise<void> => {
    rows += more.count
    if (rows > KEPT_ROWS) kept = null
    kept?.push(more)
  }
  try {
    const frames = readFrames(reader.keyedRows as unknown as AsyncIterable<Buffer>)
    return { ...(await sortIntoSegment(frames, options, keep, onProgress)), kept }
  } catch (error) {
    throw sorterFailure(error)
  }
}
