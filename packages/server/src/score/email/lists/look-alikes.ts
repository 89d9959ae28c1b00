import { readDataFile } from "./data-file.ts"
import type { DomainLooks } from "./domain-looks.ts"
import { registrableDomain } from "./registrable-domain.ts"
import { skeletonOf } from "./skeleton.ts"

interface Major {
  readonly domain: string
  readonly name: string
  readonly suffix: string
  /** No mail under this name anywhere else, so that any other suffix imitates it. */
  readonly only: boolean
}

/** Below this a slip makes too many honest names: "aol" is one letter from hundreds. */
const SLIP_NAME_MIN = 5
/**
 * The same for skeletons that differ in plain letters and digits only: "rne.com" may be anybody's.
 */
const PLAIN_SKELETON_NAME_MIN = 4

/**
 * What fingers make of "com". Top-level domains among them are real, but no provider's mail is
 * there.
 */
const MISTYPED_COM: ReadonlySet<string> = new Set(
  "co cm om con cmo ocm comm coom ccom vom xom cim cpm clm copm conm cok".split(" "),
)

const majors: readonly Major[] = readDataFile(
  new URL("./major-providers.csv", import.meta.url),
).map(([domain = "", elsewhere]) => {
  const { name = "", suffix = "" } = registrableDomain(domain) ?? {}
  return { domain, name, suffix, only: elsewhere === "never" }
})

/** Providers by skeleton: letters that look alike can imitate any of them, not only the majors. */
const bySkeleton: ReadonlyMap<string, string> = new Map(
  [
    ...readDataFile(new URL("./mainstream-providers.csv", import.meta.url)),
    ...readDataFile(new URL("./masked-relays.csv", import.meta.url)),
  ].map(([domain = ""]) => [skeletonOf(domain), domain]),
)

/**
 * The provider a domain imitates, by a slip of the keyboard or by letters that look alike; null for
 * none. The caller has made sure that the domain is not a provider's own. It is a sign and never a
 * correction: the address stays as it was written.
 */
export function imitatedProvider(domain: string, looks: DomainLooks | null): string | null {
  if (looks === null) return null
  const { registered, name, suffix, skeleton } = looks
  const twin = bySkeleton.get(skeleton)
  if (twin !== undefined && twin !== registered) {
    const length = twin.indexOf(".")
    if (length >= PLAIN_SKELETON_NAME_MIN || !looks.isAscii) return twin
  }
  for (const major of majors) {
    const imitates =
      name === major.name
        ? isMistypedSuffix(suffix, major)
        : isSlip(name, suffix, major) || startsWith(domain, major)
    if (imitates) return major.domain
  }
  return null
}

function isMistypedSuffix(suffix: string, major: Major): boolean {
  if (suffix === major.suffix) return false
  return major.only || (major.suffix === "com" && MISTYPED_COM.has(suffix))
}

function isSlip(name: string, suffix: string, major: Major): boolean {
  return (
    suffix === major.suffix &&
    major.name.length >= SLIP_NAME_MIN &&
    beginsAlike(name, major.name) &&
    isOneSlipApart(name, major.name)
  )
}

/** gmail.com.login.example: what people read first is the provider's. */
function startsWith(domain: string, major: Major): boolean {
  return domain.startsWith(major.domain) && domain[major.domain.length] === "."
}

/**
 * People seldom mistype the first letter, while names that differ in it are often honest:
 * "cloud.com" is not "icloud.com", and every letter has its "?mail.com".
 */
function beginsAlike(a: string, b: string): boolean {
  return a[0] === b[0] || (a[0] === b[1] && a[1] === b[0])
}

/**
 * Whether one slip of the keyboard turns one text into the other: a letter added, left out or
 * replaced, or two neighbours swapped (Damerau-Levenshtein distance 1). Equal texts are not one
 * slip apart.
 */
export function isOneSlipApart(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (long.length - short.length > 1) return false
  let start = 0
  while (start < short.length && short[start] === long[start]) start++
  let tail = 0
  while (
    tail < short.length - start &&
    short[short.length - 1 - tail] === long[long.length - 1 - tail]
  )
    tail++
  // What is left between the common beginning and the common end.
  const [leftShort, leftLong] = [short.length - start - tail, long.length - start - tail]
  if (leftShort === 0) return leftLong === 1
  if (leftShort === 1) return leftLong === 1
  return (
    leftShort === 2 &&
    leftLong === 2 &&
    short[start] === long[start + 1] &&
    short[start + 1] === long[start]
  )
}
