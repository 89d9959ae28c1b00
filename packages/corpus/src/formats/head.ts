import type { ColumnHints } from "./columns.ts"
import { type Encoding, encodingOf, textHead } from "./encoding.ts"
import { eachLine, isBlank } from "./lines.ts"
import { plainHead } from "./plain-text.ts"

/** How many bytes of a member are looked at. */
export const HEAD_BYTES_MAX = 65_536
const LINES_MAX = 1000

/** What the person at the terminal gave about a file, for when looking at it is not enough. */
export interface FormatHints {
  /** `--format`: the name of a format. */
  readonly format?: string
  /** `--map`: by field, the column's name or its number from 1. */
  readonly map: ColumnHints
}

/** The first bytes of a member, by which its format is found. */
export class Head {
  readonly bytes: Buffer
  readonly encoding: Encoding
  /** Whether `--format` names this format. */
  readonly isNamed: boolean
  /** The columns given by `--map`. */
  readonly map: ColumnHints
  #table: Buffer | null = null
  #lines: readonly string[] | null = null
  #texts: readonly string[] | null = null
  #first: string | undefined | null = null

  constructor(bytes: Buffer, { format, map }: FormatHints) {
    this.bytes = bytes
    this.encoding = encodingOf(bytes)
    this.isNamed = format !== undefined
    this.map = map
  }

  /** Whether the member ends here; otherwise its last row may be cut. */
  get isWhole(): boolean {
    return this.bytes.length < HEAD_BYTES_MAX
  }

  /** As UTF-8 with lines that end in LF, for formats whose rows may span lines. */
  get table(): Buffer {
    return (this.#table ??= plainHead(
      this.encoding === "utf-8" ? this.bytes : textHead(this.bytes, this.encoding),
    ))
  }

  /** The first character that is no space. */
  get first(): string | undefined {
    if (this.#first === null) this.#first = firstCharacter(this.table)
    return this.#first
  }

  /** False where no line has this character of ASCII. */
  mayHave(character: string): boolean {
    return this.bytes.includes(character)
  }

  /** The first lines, without the last where the head's end cut it. */
  get lines(): readonly string[] {
    return (this.#lines ??= completeLines(textHead(this.bytes, this.encoding), !this.isWhole))
  }

  /** The lines that are not blank, without the spaces around them. */
  get texts(): readonly string[] {
    return (this.#texts ??= this.lines.filter((text) => !isBlank(text)).map((text) => text.trim()))
  }
}

function firstCharacter(table: Buffer): string | undefined {
  for (const byte of table) {
    const character = String.fromCharCode(byte)
    if (character.trimStart() !== "") return character
  }
  return undefined
}

function completeLines(text: Buffer, isCut: boolean): string[] {
  const lines: string[] = []
  eachLine(text, (_line, content) => void lines.push(content))
  return (isCut && lines.length > 1 ? lines.slice(0, -1) : lines).slice(0, LINES_MAX)
}
