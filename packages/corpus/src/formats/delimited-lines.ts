import type { EntryKind } from "@assay/stores/entry"
import { separation } from "./delimiter.ts"
import { textBytes } from "./encoding.ts"
import type { FileFormat, FoundFormat } from "./format.ts"
import type { BlockParser } from "./parsed-row.ts"
import { lineBlocks } from "./line-blocks.ts"

/** A format of lines whose fields a delimiter separates. */
export interface DelimitedFormat extends FoundFormat {
  readonly delimiter: string
}

export const DELIMITERS: readonly string[] = [":", ";", "|", "\t", ",", " "]
/** Only this many characters of a line are looked at. */
export const LINE_LENGTH_MAX = 1000
/** From this share on, a space after the delimiter is part of it. */
const SPACE_SHARE_MIN = 0.9

/** All of such a format, by what sets it apart from the others. */
export function delimitedLines(kind: {
  readonly name: string
  readonly title: string
  readonly impliedKind: EntryKind
  /** Where no line fits and the person names the format. */
  readonly usualDelimiter: string
  fits(text: string, delimiter: string): boolean
  parser(delimiter: string): BlockParser
}): FileFormat<DelimitedFormat> {
  const { name, title, impliedKind, usualDelimiter } = kind
  return {
    name,
    title,
    hasColumns: false,
    detect({ texts }) {
      let found = { name, delimiter: usualDelimiter }
      let most = 0
      for (const delimiter of DELIMITERS) {
        const fitting = texts.filter((text) => kind.fits(text.slice(0, LINE_LENGTH_MAX), delimiter))
        if (fitting.length <= most) continue
        most = fitting.length
        found = { name, delimiter: withSpace(delimiter, fitting) }
      }
      return { found, fitting: most }
    },
    blocks: textLines,
    parser: ({ delimiter }) => kind.parser(delimiter),
    describe: ({ delimiter }) => `, ${separation(delimiter)}`,
    impliedKind: () => impliedKind,
  }
}

/** Blocks of a text whose lines are rows. */
export const textLines: FileFormat["blocks"] = (member, _found, encoding, blockBytes) =>
  lineBlocks(textBytes(member.bytes(), encoding), blockBytes)

function withSpace(delimiter: string, fitting: readonly string[]): string {
  if (delimiter.trim() === "") return delimiter
  const having = fitting.filter((text) => text.includes(delimiter))
  const spaced = having.filter((text) => text.includes(`${delimiter} `))
  return spaced.length > having.length * SPACE_SHARE_MIN ? `${delimiter} ` : delimiter
}
