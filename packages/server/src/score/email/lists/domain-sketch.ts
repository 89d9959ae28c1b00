import type { DomainLooks } from "./domain-looks.ts"
import { COMPANY_WORDS, type OwnDomains, type OwnLikeness, SLIP_NAME_MIN } from "./own-domains.ts"

// Whether a domain is made to be taken for a tenant's own is asked of its letters. Where the domain
// is not kept, a sketch is: keyed hashes of all that `likenessToOwn` compares. Two texts are one
// slip apart if they are the same without one letter, or but for the order of two, so that hashes
// of those remains tell what the letters would.

/** A keyed hash of a text. */
export type HashOf = (text: string) => Uint8Array

export interface DomainSketch {
  readonly isAscii: boolean
  /** Eight bytes of each hash, ascending, one after the other, in base64. */
  readonly hashes: string
}

const HASH_BYTES = 8

/** The sketch of a domain; null for a public suffix, which imitates nobody. */
export function sketchOf(
  domain: string,
  looks: DomainLooks | null,
  hashOf: HashOf,
): DomainSketch | null {
  if (looks === null) return null
  const { registered, suffix, name, skeleton, nameSkeleton, isAscii } = looks
  const texts = [
    `is:${registered}`,
    `looks:${skeleton}`,
    `named:${nameSkeleton}`,
    `alone:${name}`,
    `same:${name}.${suffix}`,
    ...slipsOf(name).map((slip) => `${slip}.${suffix}`),
    ...shorterBy(name).map((shorter) => `longer-than:${shorter}.${suffix}`),
    ...beginningsOf(domain).map((beginning) => `begins:${beginning}`),
  ]
  const hashes = [...new Set(texts)].map((text) => shortened(hashOf(text))).sort(Buffer.compare)
  return { isAscii, hashes: Buffer.concat(hashes).toString("base64") }
}

/** What `likenessToOwn` says of the domain that the sketch is of. */
export function sketchLikeness(
  sketch: DomainSketch | null,
  own: OwnDomains,
  hashOf: HashOf,
): OwnLikeness | null {
  if (sketch === null) return null
  const hashes = hashesIn(sketch)
  const has = (text: string): boolean => hashes.has(shortened(hashOf(text)).toString("latin1"))
  if (own.some(({ registered }) => has(`is:${registered}`))) return { own: true }
  for (const { skeleton, registered } of own)
    if (has(`looks:${skeleton}`))
      return { own: false, imitates: registered, byLetters: !sketch.isAscii }
  const imitated = own.find((each) => isNear(each, has))
  if (imitated === undefined) return null
  return { own: false, imitates: imitated.registered, byLetters: false }
}

function isNear(own: DomainLooks, has: (text: string) => boolean): boolean {
  const { name, suffix, nameSkeleton, registered } = own
  return (
    has(`named:${nameSkeleton}`) ||
    (name.length >= SLIP_NAME_MIN && isSlip(name, suffix, has)) ||
    COMPANY_WORDS.some((word) => has(`alone:${name}${word}`)) ||
    has(`begins:${registered}`)
  )
}

function isSlip(name: string, suffix: string, has: (text: string) => boolean): boolean {
  // Equal texts are the same without any letter too, and are no slip.
  if (has(`same:${name}.${suffix}`)) return false
  return (
    slipsOf(name).some((slip) => has(`${slip}.${suffix}`)) ||
    has(`longer-than:${name}.${suffix}`) ||
    shorterBy(name).some((shorter) => has(`same:${shorter}.${suffix}`))
  )
}

/** What two texts share if one letter is replaced, or two neighbours are swapped. */
function slipsOf(name: string): string[] {
  const slips: string[] = []
  for (let at = 0; at < name.length; at++) {
    slips.push(`replaced:${at}:${without(name, at, 1)}`)
    if (at === name.length - 1) break
    const pair = [name[at] as string, name[at + 1] as string].sort().join("")
    slips.push(`swapped:${at}:${pair}:${without(name, at, 2)}`)
  }
  return slips
}

function shorterBy(name: string): string[] {
  return [...new Set(Array.from({ length: name.length }, (_, at) => without(name, at, 1)))]
}

function without(name: string, at: number, letters: number): string {
  return name.slice(0, at) + name.slice(at + letters)
}

/** What stands before each dot: people read first what is first. */
function beginningsOf(domain: string): string[] {
  const beginnings: string[] = []
  for (let dot = domain.indexOf("."); dot !== -1; dot = domain.indexOf(".", dot + 1))
    beginnings.push(domain.slice(0, dot))
  return beginnings
}

function shortened(hash: Uint8Array): Buffer {
  return Buffer.from(hash.subarray(0, HASH_BYTES))
}

function hashesIn({ hashes }: DomainSketch): ReadonlySet<string> {
  const bytes = Buffer.from(hashes, "base64")
  const all = new Set<string>()
  for (let at = 0; at < bytes.length; at += HASH_BYTES)
    all.add(bytes.toString("latin1", at, at + HASH_BYTES))
  return all
}
