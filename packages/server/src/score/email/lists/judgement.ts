import type { ParsedDomain } from "@assay/core/identity"
import { categoryMark, LIST_CATEGORIES, type ListCategory } from "./categories.ts"
import { type DomainLooks, looksOf } from "./domain-looks.ts"
import { isGuardedSuffix } from "./guarded-suffixes.ts"
import { type Homograph, homographOf } from "./homographs.ts"
import { imitatedProvider } from "./look-alikes.ts"
import type { OwnList } from "./own-lists.ts"
import { type RegistrableDomain, registrableDomain, walkParents } from "./registrable-domain.ts"
import { type ShippedList, shippedLists } from "./shipped-lists.ts"

/** A list that names a domain or a parent of it. */
export interface Naming {
  /** The list with its version, or the operator's file. */
  readonly origin: string
  readonly says: ShippedList["kind"] | ListCategory
  /** The name that stands in the list. */
  readonly domain: string
}

/** What all lists together say of a domain. */
export interface Judgement {
  readonly category: "masked" | "disposable" | "free" | null
  readonly toxic: boolean
  /** An operator's list refuses it, or one bulk list alone names it, which is a weak sign. */
  readonly blocklisted: "denied" | "weakly" | null
  /** One bulk list alone names it, and nobody vouches for it. */
  readonly disposableLikely: boolean
  readonly firstSeenMs: number | null
  /** The provider it imitates. */
  readonly imitates: string | null
  /** Letters that make it look like a well-known domain, or a mixture of alphabets. */
  readonly homograph: Homograph | null
  readonly allowed: boolean
  /**
   * No shipped list may call it disposable: a popular domain, or one of a university or a
   * government.
   */
  readonly guarded: boolean
  /** A provider, a popular domain or an allowed one: it imitates nobody, for any tenant. */
  readonly known: boolean
  readonly looks: DomainLooks | null
  readonly shipped: readonly Naming[]
  readonly own: readonly Naming[]
}

const { masked, disposable, free, toxic, allow, deny } = Object.fromEntries(
  LIST_CATEGORIES.map((category) => [category, categoryMark(category)]),
) as Record<ListCategory, number>

/** What the lists say of a domain and its parents, before anything is concluded from it. */
export interface Listed {
  /** Of the nearest name that any of the operator's lists has. */
  readonly ownMarks: number
  readonly own: readonly Naming[]
  /** Of all names together. */
  readonly shippedMarks: number
  readonly shipped: readonly Naming[]
  readonly seenMs: number | null
}

/** What follows from lists alone, whatever the letters of the domain are. */
export type Verdict = Pick<
  Judgement,
  | "category"
  | "toxic"
  | "blocklisted"
  | "disposableLikely"
  | "firstSeenMs"
  | "allowed"
  | "guarded"
  | "known"
>

/**
 * Judges a domain. An operator's lists win over the shipped ones; among them the nearest name that
 * is listed decides. Of the shipped lists all that name the domain or a parent count together: one
 * curated list or two lists of any kind make it disposable, unless it is under guard.
 */
export function judgeDomain(parsed: ParsedDomain, ownLists: readonly OwnList[]): Judgement {
  const { domain } = parsed
  const registrable = registrableDomain(domain)
  const listed = listedIn(domain, registrable, ownLists)
  const verdict = verdictOn(listed, hasGuardedSuffix(registrable))
  const looks = looksOf(parsed, registrable)
  return {
    ...verdict,
    imitates: verdict.known ? null : imitatedProvider(domain, looks),
    homograph: verdict.known ? null : homographOf(parsed, looks),
    looks,
    shipped: listed.shipped,
    own: listed.own,
  }
}

export function hasGuardedSuffix(registrable: RegistrableDomain | null): boolean {
  return registrable !== null && isGuardedSuffix(registrable.suffix)
}

export function listedIn(
  domain: string,
  registrable: RegistrableDomain | null,
  ownLists: readonly OwnList[],
): Listed {
  const { lists, table } = shippedLists()
  let ownMarks = 0
  const own: Naming[] = []
  let shippedMarks = 0
  const shipped: Naming[] = []
  let seenMs: number | null = null
  walkParents(domain, registrable, (from) => {
    if (ownMarks === 0) ownMarks = takeOwn(domain, from, ownLists, own)
    const marks = table.marks(domain, from)
    if (marks === 0) return
    shippedMarks |= marks
    const name = domain.slice(from)
    if (seenMs === null) {
      const seconds = table.seenAt(domain, from)
      if (seconds !== null) seenMs = seconds * 1000
    }
    for (const { mark, origin, kind } of lists)
      if ((marks & mark) !== 0) shipped.push({ origin, says: kind, domain: name })
  })
  return { ownMarks, own, shippedMarks, shipped, seenMs }
}

/** `guardedSuffix`: it is a university's or a government's by its suffix. */
export function verdictOn(
  { ownMarks, shippedMarks, seenMs }: Pick<Listed, "ownMarks" | "shippedMarks" | "seenMs">,
  guardedSuffix: boolean,
): Verdict {
  const { masks } = shippedLists()
  const allowed = (ownMarks & allow) !== 0
  const guardedByName = (shippedMarks & masks.guard) !== 0
  const guarded = guardedByName || guardedSuffix
  const relay = !allowed && (shippedMarks & masks.masked) !== 0
  const evidence = allowed || guarded || relay ? 0 : shippedMarks & (masks.curated | masks.bulk)
  const burner = (evidence & masks.curated) !== 0 || isSeveral(evidence)
  const provider = (shippedMarks & masks.free) !== 0
  const ownCategory = allowed ? null : categoryOf(ownMarks)
  const category =
    ownCategory ?? (relay ? "masked" : burner ? "disposable" : provider ? "free" : null)
  const denied = !allowed && (ownMarks & deny) !== 0
  const weakly = ownCategory === null && evidence !== 0 && !burner
  return {
    category,
    toxic: !allowed && (ownMarks & toxic) !== 0,
    blocklisted: denied ? "denied" : weakly ? "weakly" : null,
    disposableLikely: weakly,
    firstSeenMs: category === "disposable" ? seenMs : null,
    allowed,
    guarded,
    // A provider on any list imitates no other, even if another list calls it disposable.
    known: allowed || guardedByName || provider || category === "masked" || category === "free",
  }
}

/**
 * The marks that the operator's lists give the name at `from`; lists that mark it are added to
 * `own`.
 */
function takeOwn(domain: string, from: number, lists: readonly OwnList[], own: Naming[]): number {
  let all = 0
  for (const { file, table } of lists) {
    const marks = table.marks(domain, from)
    if (marks === 0) continue
    all |= marks
    for (const says of LIST_CATEGORIES)
      if ((marks & categoryMark(says)) !== 0)
        own.push({ origin: file, says, domain: domain.slice(from) })
  }
  return all
}

function categoryOf(marks: number): Judgement["category"] {
  if ((marks & masked) !== 0) return "masked"
  if ((marks & disposable) !== 0) return "disposable"
  return (marks & free) !== 0 ? "free" : null
}

function isSeveral(marks: number): boolean {
  return (marks & (marks - 1)) !== 0
}
