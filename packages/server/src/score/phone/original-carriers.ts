import { readFileSync } from "node:fs"

// Ranges of all carriers as three columns sorted by their start, so that a lookup is one binary
// search: a Map of 29,000 prefixes would take megabytes of heap in every worker for something that
// few requests ask for.
interface CarrierTable {
  readonly starts: Uint32Array
  /** The last place of each range, itself included. */
  readonly ends: Uint32Array
  /** Places in `names`. */
  readonly carriers: Uint16Array
  readonly names: readonly string[]
}

/**
 * The digits of the longest prefix in the table; that many first digits of a number are its place.
 */
const PLACE_DIGITS = 9

let table: CarrierTable | null = null

/**
 * The carrier that the range of a number was first given to, or null where that is not known.
 * Numbers are ported and carriers bought, so this never says who serves the number today. Read from
 * disk when first asked for.
 */
export function originalCarrier(e164: string): string | null {
  table ??= readTable(readFileSync(new URL("./original-carriers.txt", import.meta.url), "utf8"))
  const { starts, ends, carriers, names } = table
  const place = Number(e164.slice(1, PLACE_DIGITS + 1).padEnd(PLACE_DIGITS, "0"))
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((starts[middle] as number) <= place) low = middle + 1
    else high = middle
  }
  if (low === 0 || place > (ends[low - 1] as number)) return null
  return names[carriers[low - 1] as number] as string
}

function readTable(text: string): CarrierTable {
  const names: string[] = []
  const ranges: { readonly start: number; readonly end: number; readonly carrier: number }[] = []
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue
    const [name = "", written = ""] = line.split("\t")
    for (const range of written.split(" ")) {
      // "49151", or "50672-4" for the prefixes 50672 to 50674.
      const [first = "", lastDigits = ""] = range.split("-")
      const last = first.slice(0, first.length - lastDigits.length) + lastDigits
      ranges.push({
        start: Number(first.padEnd(PLACE_DIGITS, "0")),
        end: Number(last.padEnd(PLACE_DIGITS, "9")),
        carrier: names.length,
      })
    }
    names.push(name)
  }
  ranges.sort((a, b) => a.start - b.start)
  return {
    starts: Uint32Array.from(ranges, ({ start }) => start),
    ends: Uint32Array.from(ranges, ({ end }) => end),
    carriers: Uint16Array.from(ranges, ({ carrier }) => carrier),
    names,
  }
}
