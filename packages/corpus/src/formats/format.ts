import type { EntryKind } from "@assay/stores/entry"
import type { Member } from "../inputs/member.ts"
import type { Encoding } from "./encoding.ts"
import type { Head } from "./head.ts"
import type { BlockParser } from "./parsed-row.ts"

/**
 * One way in which files of people's data are written. A format is one of these and a line in
 * formats.ts; `Found` is what its `detect` learns of a file, such as the delimiter.
 */
export interface FileFormat<Found extends FoundFormat = FoundFormat> {
  /** As `--format` names it, and as imports are remembered: it never changes. */
  readonly name: string
  /** What such a file holds, for a person. */
  readonly title: string
  /** Whether rows have columns, so that `--map` can name them. */
  readonly hasColumns: boolean
  /** Set where it is never certain, but weighed against others by the lines that fit. */
  readonly isWeighed?: true
  /** Set where a file is read by places in it, and not from front to back. */
  readonly seeks?: true
  /**
   * Null where the head is of something else. Whoever asks takes nothing that fits no more lines
   * than `beaten`, so a format may stop where it sees that. Throws InputError `unknown-column`.
   */
  detect(head: Head, beaten?: number): Detection<Found> | null
  /** Cuts a member into pieces of about `blockBytes`, each of which the parser reads alone. */
  blocks(
    member: Member,
    found: Found,
    encoding: Encoding,
    blockBytes: number,
  ): AsyncIterable<Buffer>
  parser(found: Found): BlockParser
  /** The text after the title in the description of a file: `, separated by ";"`. */
  describe(found: Found): string
  /** The kind of evidence in such a file, if neither its rows nor the person give one. */
  impliedKind(found: Found): EntryKind
}

/** How a member is written, as found by looking at it. Plain data: it is sent between threads. */
export interface FoundFormat {
  readonly name: string
  readonly [detail: string]: unknown
}

export interface Detection<Found extends FoundFormat> {
  readonly found: Found
  /**
   * How many of the first lines fit: the format that fits most is taken. CERTAIN ends the search;
   * with 0 a format is taken only where `--format` names it.
   */
  readonly fitting: number
}
export const CERTAIN = Infinity

/** How a member is read. */
export interface Detected {
  readonly format: FoundFormat
  readonly encoding: Encoding
}
