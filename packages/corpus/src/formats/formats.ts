import type { EntryKind } from "@assay/stores/entry"
import { InputError, isInputFault, type Member } from "../inputs/member.ts"
import { isCompanion } from "../inputs/stealer-log.ts"
import { CERTAIN, type Detected, type FileFormat, type FoundFormat } from "./format.ts"
import type { BlockParser } from "./parsed-row.ts"
import { combolist, passwordFirst } from "./combolist.ts"
import { csv } from "./csv.ts"
import type { Encoding } from "./encoding.ts"
import { type FormatHints, Head } from "./head.ts"
import { json } from "./json.ts"
import { labelledLines } from "./labelled-lines.ts"
import { ndjson } from "./ndjson.ts"
import { parquet } from "./parquet.ts"
import { BLOCK_BYTES, takenFrom } from "./row-bytes.ts"
import { stealerBlocks } from "./stealer-blocks.ts"
import { urlLoginPassword } from "./url-login-password.ts"

/**
 * Every format that is read. They are tried in this order, and of those that fit equally many lines
 * the first is taken: `login:password:url` also reads as an address and a password.
 */
export const FORMATS: readonly FileFormat[] = [
  parquet,
  ndjson,
  json,
  csv,
  stealerBlocks,
  labelledLines,
  urlLoginPassword,
  combolist,
  passwordFirst,
]

/** As `--format` takes them. */
export const FORMAT_NAMES: readonly string[] = FORMATS.map(({ name }) => name).sort()

/**
 * A file in which a smaller share of the lines fits is something else, unless `--format` names it.
 */
const FITTING_SHARE_MIN = 0.25

/**
 * The format of a member, by its name and first bytes; null if it cannot be imported. That a
 * format is likely changes nothing but how soon it is known. Throws InputError if `--map` names a
 * column that the file does not have.
 */
export function detectFormat(
  name: string,
  bytes: Buffer,
  hints: FormatHints,
  formats: readonly FileFormat[] = FORMATS,
  likely: string | null = null,
): Detected | null {
  const head = new Head(bytes, hints)
  try {
    const found =
      hints.format === undefined
        ? bestFit(head, name, formats, likely)
        : (formats.find((format) => format.name === hints.format)?.detect(head)?.found ?? null)
    return found === null ? null : { format: found, encoding: head.encoding }
  } catch (error) {
    throw isInputFault(error, "unknown-column")
      ? new InputError(`${name}: ${error.message}`)
      : error
  }
}

function bestFit(
  head: Head,
  name: string,
  formats: readonly FileFormat[],
  likely: string | null,
): FoundFormat | null {
  // Columns that the person named are not ignored, and the lines of a log that name people without
  // a password are no list.
  const onlyTables = Object.keys(head.map).length > 0 || isCompanion(basename(name))
  let best: FoundFormat | null = null
  let bestAt = -1
  let most = 0
  for (const format of likelyFirst(formats, likely)) {
    if (onlyTables && !format.hasColumns) continue
    const at = formats.indexOf(format)
    const beaten = at < bestAt ? most - 1 : most
    const { found, fitting } = format.detect(head, beaten) ?? NOTHING
    if (fitting === CERTAIN) return found
    if (fitting <= beaten || fitting < head.texts.length * FITTING_SHARE_MIN) continue
    most = fitting
    best = found
    bestAt = at
  }
  return best
}

/**
 * The likely one before all that it is weighed against. Where it fits every line, they have to fit
 * every line too, and most are through with the first.
 */
function likelyFirst(formats: readonly FileFormat[], likely: string | null): readonly FileFormat[] {
  const isWeighed = (format: FileFormat): boolean => format.isWeighed === true
  const found = formats.find((format) => format.name === likely && isWeighed(format))
  if (found === undefined) return formats
  const certain = formats.filter((format) => !isWeighed(format))
  return [...certain, found, ...formats.filter((format) => isWeighed(format) && format !== found)]
}

const NOTHING = { found: null, fitting: 0 }

/** Archives are made on systems with either kind of slash. */
function basename(name: string): string {
  return name.split(/[/\\]/).at(-1) ?? ""
}

/**
 * The blocks of a member, each in its own memory, ready to be transferred to a thread. The format
 * that made a block loses it here, so that code which reads a block again fails in every test.
 */
export async function* blocksOf(
  member: Member,
  { format, encoding }: Detected,
  blockBytes: number = BLOCK_BYTES,
): AsyncGenerator<Buffer> {
  const blocks = formatOf(format).blocks(member, format, encoding, blockBytes)
  for await (const block of blocks) yield takenFrom(block)
}

export function openParser(format: FoundFormat): BlockParser {
  return formatOf(format).parser(format)
}

/** Whether such a file cannot be read while it arrives. */
export function seeks(format: FoundFormat): boolean {
  return formatOf(format).seeks === true
}

/** What a file of this format is, in a word or two for a person. */
export function titleOf(format: FoundFormat): string {
  return formatOf(format).title
}

export function impliedKind(format: FoundFormat): EntryKind {
  return formatOf(format).impliedKind(format)
}

/** The detected format, as one line for the person at the terminal. */
export function describeFormat({ format, encoding }: Detected): string {
  const known = formatOf(format)
  return `${known.title}${known.describe(format)}${ENCODINGS[encoding]}`
}

const ENCODINGS: Readonly<Record<Encoding, string>> = {
  "utf-8": "",
  "utf-16le": ", in UTF-16 LE",
  "utf-16be": ", in UTF-16 BE",
}

function formatOf({ name }: FoundFormat): FileFormat {
  const format = FORMATS.find((each) => each.name === name)
  if (format === undefined) throw new RangeError("There is no such format")
  return format
}
