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
  /** A text that fits a delimiter it does not have fits every other that it does not have. */
  fits(text: string, delimiter: string): boolean
  parser(delimiter: string): BlockParser
}): FileFormat<DelimitedFormat> {
  const { name, title, impliedKind, usualDelimiter } = kind
  return {
    name,
    title,
    hasColumns: false,
    isWeighed: true,
    detect(head, beaten = 0) {
      let found = { name, delimiter: usualDelimiter }
      let most = beaten
      for (const [n, delimiter] of DELIMITERS.entries()) {
        // Lines that fit a delimiter they do not have fit the first one too. A tab is a space.
        if (n > 0 && delimiter !== " " && !head.mayHave(delimiter)) continue
        const fitting = fittingTexts(head.texts, most, (text) => kind.fits(text, delimiter))
        if (fitting === null) continue
        most = fitting.length
        found = { name, delimiter: spacedAs(delimiter, fitting) }
      }
      return { found, fitting: most }
    },
    blocks: textLines,
    parser: ({ delimiter }) => kind.parser(delimiter),
    describe: ({ delimiter }) => `, ${separation(delimiter)}`,
    impliedKind: () => impliedKind,
  }
}

/** Those that fit; null as soon as they cannot be more than `beaten`. */
function fittingTexts(
  texts: readonly string[],
  beaten: number,
  fits: (text: string) => boolean,
): string[] | null {
  const fitting: string[] = []
  let room = texts.length - beaten
  if (room <= 0) return null
  for (const text of texts) {
    if (fits(text.length > LINE_LENGTH_MAX ? text.slice(0, LINE_LENGTH_MAX) : text))
      fitting.push(text)
    else if (--room === 0) return null
  }
  return fitting
}

/** Blocks of a text whose lines are rows. */
export const textLines: FileFormat["blocks"] = (member, _found, encoding, blockBytes) =>
  lineBlocks(textBytes(member.bytes(), encoding), blockBytes)

function spacedAs(delimiter: string, fitting: readonly string[]): string {
  if (delimiter.trim() === "") return delimiter
  const withSpace = `${delimiter} `
  let having = 0
  let spaced = 0
  for (const text of fitting) {
    if (!text.includes(delimiter)) continue
    having++
    if (text.includes(withSpace)) spaced++
  }
  return spaced > having * SPACE_SHARE_MIN ? withSpace : delimiter
}
