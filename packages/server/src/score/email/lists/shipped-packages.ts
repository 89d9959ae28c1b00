import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

// The lists come from packages, but their code is never run: their files are read as data.
// Explanations name `version` and `released`; a test compares the versions with the installed
// packages.

/** Takes one name, as bytes of a larger buffer. */
export type EachName = (bytes: Uint8Array, start: number, end: number) => void

export interface ShippedPackage {
  readonly name: string
  readonly version: string
  readonly released: string
  /** Curated: somebody looked at every entry. Bulk: gathered from many feeds, with their faults. */
  readonly kind: "curated" | "bulk" | "free"
  /**
   * Calls `each` with every entry, and `seen` with the second a host was first seen where the list
   * knows it.
   */
  read(each: EachName, seen: (host: string, seconds: number) => void): void
}

export const shippedPackages: readonly ShippedPackage[] = [
  {
    name: "disposable-email-domains-js",
    version: "1.26.0",
    released: "2026-09-21",
    kind: "curated",
    read: (each) =>
      readStrings(
        fileOf("disposable-email-domains-js/dist/dict/disposable_email_blocklist.json"),
        each,
      ),
  },
  {
    name: "fakefilter",
    version: "0.1.1476",
    released: "2026-02-18",
    kind: "curated",
    read: readFakefilter,
  },
  {
    name: "mailchecker",
    version: "6.0.21",
    released: "2026-07-18",
    kind: "bulk",
    read: readMailchecker,
  },
  {
    name: "disposable-domains",
    version: "2.0.1",
    released: "2026-08-24",
    kind: "bulk",
    read: (each) => readStrings(fileOf("disposable-domains/index.json"), each),
  },
  {
    name: "email-providers",
    version: "2.26.0",
    released: "2026-09-07",
    kind: "free",
    read: (each) => readStrings(fileOf("email-providers/all.json"), each),
  },
]

const resolver = createRequire(import.meta.url)

function fileOf(path: string): Buffer {
  return readFileSync(resolver.resolve(path))
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * The strings of a JSON array, found by their quotes: parsing would make 200,000 texts only to drop
 * them again. None of the lists escapes a character; this cannot read one that does.
 */
function readStrings(bytes: Buffer, each: EachName): void {
  if (bytes.includes(BACKSLASH)) throw new Error("A shipped list has escaped characters")
  let names = 0
  let open = -1
  // A loop of our own: `indexOf` leaves JavaScript for every one of the short names.
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== QUOTE) continue
    if (open === -1) open = at
    else {
      each(bytes, open + 1, at)
      open = -1
      names++
    }
  }
  if (open !== -1) throw new Error("A shipped list ends within a name")
  if (names === 0) throw new Error("A shipped list is empty")
}

/** The package is a program with the list inside: `new Set(["…","…"])`. */
function readMailchecker(each: EachName): void {
  const bytes = fileOf("mailchecker/platform/node/index.js")
  const start = bytes.indexOf("new Set([")
  const end = bytes.indexOf("])", start)
  if (start === -1 || end === -1) throw new Error("The list of mailchecker was not found in it")
  readStrings(bytes.subarray(start, end), each)
}

interface FakefilterData {
  readonly domains: Readonly<
    Record<string, { readonly hosts: Readonly<Record<string, { readonly firstseen: number }>> }>
  >
}

/** Hosts only: a domain above them may be a dynamic DNS service with honest users too. */
function readFakefilter(each: EachName, seen: (host: string, seconds: number) => void): void {
  const { domains } = JSON.parse(
    fileOf("fakefilter/json/data_version2.json").toString("utf8"),
  ) as FakefilterData
  for (const { hosts } of Object.values(domains)) {
    for (const [host, { firstseen }] of Object.entries(hosts)) {
      const bytes = Buffer.from(host)
      each(bytes, 0, bytes.length)
      seen(host, firstseen)
    }
  }
}
