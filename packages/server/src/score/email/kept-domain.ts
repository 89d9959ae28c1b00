import { setImmediate as nextTurn } from "node:timers/promises"
import { IDENTITY_TAGS, identityKey, type ParsedDomain } from "@assay/core/identity"
import { sha256 } from "@assay/runtime/secrets"
import { categoryMark } from "./lists/categories.ts"
import { type DomainValues, valuesOf } from "./domain-trust.ts"
import { listFacts } from "./lists.ts"
import { looksOf } from "./lists/domain-looks.ts"
import { type DomainSketch, type HashOf, sketchLikeness, sketchOf } from "./lists/domain-sketch.ts"
import type { DomainTable } from "./lists/domain-table.ts"
import { type Homograph, homographOf } from "./lists/homographs.ts"
import { hasGuardedSuffix, listedIn, verdictOn } from "./lists/judgement.ts"
import { imitatedProvider } from "./lists/look-alikes.ts"
import type { OwnDomains } from "./lists/own-domains.ts"
import type { OwnList } from "./lists/own-lists.ts"
import { registrableDomain, walkParents } from "./lists/registrable-domain.ts"
import { shippedLists, shippedVersion } from "./lists/shipped-lists.ts"

/**
 * What is kept of a domain so that its values can be made anew after a change of lists or of a
 * tenant's own domains. It holds keys and no name, except of providers that the domain imitates.
 */
export interface KeptDomain {
  /** Of the domain and those of its parents that lists are asked for, nearest first. */
  readonly names: readonly string[]
  /** What the shipped lists of this version say of all of these names. */
  readonly shipped: {
    readonly version: string
    readonly marks: number
    readonly seenMs: number | null
  }
  readonly guardedSuffix: boolean
  /** The provider that it imitates unless a list knows it. */
  readonly imitates: string | null
  readonly homograph: Homograph | null
  readonly sketch: DomainSketch | null
}

/** The hash by which names of domains are kept: their key as identities. */
export function domainHash(identitySubkey: Uint8Array): HashOf {
  return (text) => identityKey(sha256, identitySubkey, IDENTITY_TAGS.domain, text)
}

export function keptDomain(parsed: ParsedDomain, hashOf: HashOf): KeptDomain {
  const { domain } = parsed
  const registrable = registrableDomain(domain)
  const looks = looksOf(parsed, registrable)
  const { shippedMarks, seenMs } = listedIn(domain, registrable, [])
  const names: string[] = []
  walkParents(domain, registrable, (from) => names.push(named(hashOf, domain.slice(from))))
  return {
    names,
    shipped: { version: shippedVersion(), marks: shippedMarks, seenMs },
    guardedSuffix: hasGuardedSuffix(registrable),
    imitates: imitatedProvider(domain, looks),
    homograph: homographOf(parsed, looks),
    sketch: sketchOf(domain, looks, hashOf),
  }
}

/** The names of lists by their keys. */
export interface KeyedLists {
  readonly own: readonly OwnList[]
  /** The marks that each file of the operator's gives. */
  readonly ownMarks: ReadonlyMap<string, ReadonlyMap<OwnList, number>>
  /** null where no kept domain asks for them: they change with a release only. */
  readonly shipped: ReadonlyMap<string, ShippedName> | null
}

interface ShippedName {
  readonly marks: number
  readonly seenMs: number | null
}

/**
 * Takes the keys of all names in the operator's lists, and with `shipped` in the shipped ones: some
 * 170,000, half a second of hashing. Other work has its turn in between.
 */
export async function keyedLists(
  own: readonly OwnList[],
  hashOf: HashOf,
  shipped: boolean,
): Promise<KeyedLists> {
  const ownMarks = new Map<string, Map<OwnList, number>>()
  for (const list of own) {
    for await (const name of namesOf(list.table)) {
      const key = named(hashOf, name)
      const marks = ownMarks.get(key) ?? new Map<OwnList, number>()
      ownMarks.set(key, marks.set(list, list.table.marks(name, 0)))
    }
  }
  return { own, ownMarks, shipped: shipped ? await keyedShipped(hashOf) : null }
}

async function keyedShipped(hashOf: HashOf): Promise<ReadonlyMap<string, ShippedName>> {
  const { table } = shippedLists()
  const all = new Map<string, ShippedName>()
  for await (const name of namesOf(table)) {
    const seconds = table.seenAt(name, 0)
    all.set(named(hashOf, name), {
      marks: table.marks(name, 0),
      seenMs: seconds === null ? null : seconds * 1000,
    })
  }
  return all
}

/** A millisecond or two of hashing. */
const NAMES_AT_ONCE = 500

async function* namesOf(table: DomainTable): AsyncGenerator<string> {
  const names: string[] = []
  table.forEachName((name) => names.push(name))
  for (const [at, name] of names.entries()) {
    if (at % NAMES_AT_ONCE === NAMES_AT_ONCE - 1) await nextTurn()
    yield name
  }
}

/** The domain with what the shipped lists of now say of it. */
export function withShipped(kept: KeptDomain, { shipped }: KeyedLists): KeptDomain {
  const version = shippedVersion()
  if (kept.shipped.version === version) return kept
  if (shipped === null) throw new Error("The shipped lists were not keyed")
  let marks = 0
  let seenMs: number | null = null
  for (const name of kept.names) {
    const found = shipped.get(name)
    marks |= found?.marks ?? 0
    seenMs ??= found?.seenMs ?? null
  }
  return { ...kept, shipped: { version, marks, seenMs } }
}

/**
 * What a score takes from the domain now. `own`: the domains of the tenant, or null where none are
 * set. The same as `domainValues` of the domain itself.
 */
export function keptValues(
  { names, shipped, guardedSuffix, imitates, homograph, sketch }: KeptDomain,
  lists: KeyedLists,
  own: OwnDomains | null,
  hashOf: HashOf,
): DomainValues {
  const naming = names.map((name) => lists.ownMarks.get(name)).find((found) => found !== undefined)
  let ownMarks = 0
  for (const marks of naming?.values() ?? []) ownMarks |= marks
  const { marks: shippedMarks, seenMs } = shipped
  const verdict = verdictOn({ ownMarks, shippedMarks, seenMs }, guardedSuffix)
  const denying = [...(naming ?? [])].find(([, marks]) => (marks & DENY) !== 0)?.[0]
  const { known } = verdict
  const facts = {
    ...listFacts(verdict, denying?.file, lists.own),
    imitates: known ? null : imitates,
    homograph: known ? null : homograph,
  }
  return valuesOf(facts, own === null || known ? null : sketchLikeness(sketch, own, hashOf))
}

const DENY = categoryMark("deny")

function named(hashOf: HashOf, name: string): string {
  return Buffer.from(hashOf(name)).toString("base64url")
}
