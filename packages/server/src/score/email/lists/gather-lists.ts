import { parseDomain } from "@assay/core/identity"
import { readDataFile } from "./data-file.ts"
import { DomainTable } from "./domain-table.ts"
import { type ShippedPackage, shippedPackages } from "./shipped-packages.ts"

export interface ShippedList {
  readonly name: string
  readonly version: string
  readonly released: string
  /**
   * Mainstream providers are free and under guard; popular domains and universities are under
   * guard.
   */
  readonly kind:
    | ShippedPackage["kind"]
    | "mainstream"
    | "masked"
    | "popular"
    | "university"
    | "guard"
  readonly mark: number
  readonly entries: number
  /** Entries that are no domain names; they are left out. */
  readonly unusable: number
  /** As an explanation names it. */
  readonly origin: string
}

export interface ShippedLists {
  readonly lists: readonly ShippedList[]
  readonly masks: MarkMasks
  /** Every name with the marks of the lists that have it, and when a list first saw it. */
  readonly table: DomainTable
}

/** The marks of all lists that say one thing. */
export interface MarkMasks {
  readonly curated: number
  readonly bulk: number
  readonly free: number
  readonly masked: number
  /** Whatever other shipped lists say, the domain is neither disposable nor likely so. */
  readonly guard: number
  /** Of those, names that everybody knows, so that none is taken for another. */
  readonly popular: number
}

const EXPECTED_NAMES = 195_000
/** The day our own files were last gone through. */
const OWN_RELEASED = "2026-11-15"
const OWN_VERSION = "1"

/** Reads the lists from the packages and our own files: most of a second's work for a table. */
export function gatherLists(): ShippedLists {
  const table = new DomainTable(EXPECTED_NAMES)
  const lists: ShippedList[] = []
  const next = (): number => 1 << lists.length
  for (const shipped of shippedPackages) {
    const mark = next()
    let entries = 0
    let unusable = 0
    shipped.read(
      (bytes, start, end) => {
        if (isPlain(bytes, start, end)) table.markBytes(bytes, start, end, mark)
        else {
          const domain = parseDomain(Buffer.from(bytes.subarray(start, end)).toString("utf8"))
          if ("fault" in domain) {
            unusable++
            return
          }
          table.mark(domain.domain, mark)
        }
        entries++
      },
      (host, seconds) => table.seen(host, seconds),
    )
    const { name, version, released, kind } = shipped
    lists.push({ ...titled(name, version, released), kind, mark, entries, unusable })
  }
  // The list of free providers also has slips people made in typing one; those are no providers.
  const free = maskOf(lists, "free")
  for (const [domain = ""] of readDataFile(new URL("./mistyped-providers.csv", import.meta.url)))
    table.unmark(domain, free)
  for (const [name, kind, file] of [
    ["mainstream-providers", "mainstream", new URL("./mainstream-providers.csv", import.meta.url)],
    ["masked-relays", "masked", new URL("./masked-relays.csv", import.meta.url)],
    ["popular-domains", "popular", new URL("./popular-domains.csv", import.meta.url)],
    ["universities", "university", new URL("./universities.csv", import.meta.url)],
    ["guarded", "guard", new URL("./guarded.csv", import.meta.url)],
  ] as const) {
    const mark = next()
    const rows = readDataFile(file)
    for (const [domain = ""] of rows) table.mark(domain, mark)
    const entries = rows.length
    lists.push({ ...titled(name, OWN_VERSION, OWN_RELEASED), kind, mark, entries, unusable: 0 })
  }
  const masks = {
    curated: maskOf(lists, "curated"),
    bulk: maskOf(lists, "bulk"),
    free: maskOf(lists, "free", "mainstream"),
    masked: maskOf(lists, "masked"),
    guard: maskOf(lists, "guard", "mainstream", "popular", "university"),
    popular: maskOf(lists, "popular", "mainstream"),
  }
  return { lists, masks, table }
}

function titled(
  name: string,
  version: string,
  released: string,
): Pick<ShippedList, "name" | "version" | "released" | "origin"> {
  return { name, version, released, origin: `${name} ${version} (${released})` }
}

function maskOf(lists: readonly ShippedList[], ...kinds: ShippedList["kind"][]): number {
  return lists.reduce((mask, { kind, mark }) => (kinds.includes(kind) ? mask | mark : mask), 0)
}

/** Already in the form identity gives: lower-case letters, digits and hyphens between dots. */
function isPlain(bytes: Uint8Array, start: number, end: number): boolean {
  let dots = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte === 0x2e) dots++
    else if (!((byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x2d))
      return false
  }
  return dots > 0
}
