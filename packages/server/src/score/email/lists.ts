import { hash } from "node:crypto"
import type { ParsedDomain } from "@assay/core/identity"
import type { Trust } from "@assay/core/score"
import type { DomainLooks } from "./lists/domain-looks.ts"
import type { Homograph } from "./lists/homographs.ts"
import { type Judgement, judgeDomain, type Verdict } from "./lists/judgement.ts"
import type { Standing } from "./lists/learnt-servers.ts"
import { type OwnList, readOwnLists } from "./lists/own-lists.ts"
import { type OverrideFile, readOverrides } from "./lists/overrides.ts"
import { shippedLists, shippedVersion } from "./lists/shipped-lists.ts"

export type { ListCategory } from "./lists/categories.ts"
export { LIST_CATEGORIES } from "./lists/categories.ts"

/** What the lists say of a domain, in the form the scorer's evidence takes. */
export interface DomainFacts {
  readonly category: Judgement["category"]
  readonly toxic: boolean
  /** When a disposable host was first seen; null where no list knows. */
  readonly firstSeenMs: number | null
  /** One bulk list alone names it. */
  readonly disposableLikely: boolean
  readonly imitates: string | null
  readonly homograph: Homograph | null
  /** What this host shows about its mail servers; null if it is neither disposable nor guarded. */
  readonly standing: Standing | null
  /** It imitates nobody, for any tenant. */
  readonly known: boolean
  readonly looks: DomainLooks | null
  readonly blocklist: NonNullable<Trust["blocklist"]>
  /** The operator's list that refuses it: its file, and when that was last changed. */
  readonly deniedBy: { readonly name: string; readonly changedAtMs: number } | null
  readonly explained: DomainExplanation
}

/** For the explanation. */
export interface DomainExplanation {
  readonly category: Judgement["category"]
  readonly toxic: boolean
  readonly blocklisted: Judgement["blocklisted"]
  readonly disposable_likely: boolean
  /** The lists the verdict rests on, with their versions. */
  readonly origins: readonly string[]
  readonly imitates: string | null
  /** By letters that look alike, or with a mixture of alphabets. */
  readonly homograph: boolean
  readonly role: boolean
}

export interface Lists {
  /**
   * What is known of a domain, by itself or by its parents. Remembered, since the same domains come
   * again.
   */
  about(domain: ParsedDomain): DomainFacts
  /**
   * Reads the operator's lists again. Throws `lists`, and goes on with the old ones, where one
   * cannot be used.
   */
  reload(): void
  /** The operator's lists as they were last read. */
  own(): readonly OwnList[]
  /**
   * The same lists as they are on the disk now, with notes. Throws `lists` where one cannot be
   * used.
   */
  overrides(): readonly OverrideFile[]
  /** Names in all lists. */
  size(): number
  /** When the newest list was made or changed. */
  newestAtMs(): number
  /** Another one as soon as any list says something else. */
  version(): string
}

const REMEMBERED_MAX = 10_000

/**
 * Opens the shipped lists and the operator's. Throws with the place of a line of the operator's
 * that cannot be used.
 */
export function openLists(directory: string): Lists {
  const shipped = shippedLists()
  let own = readOwnLists(directory)
  const remembered = new Map<string, DomainFacts>()
  return {
    about(domain) {
      const known = remembered.get(domain.domain)
      if (known !== undefined) return known
      const facts = factsOf(judgeDomain(domain, own), own)
      if (remembered.size >= REMEMBERED_MAX) remembered.clear()
      remembered.set(domain.domain, facts)
      return facts
    },
    reload() {
      own = readOwnLists(directory, own)
      remembered.clear()
    },
    own: () => own,
    overrides: () => readOverrides(directory, own),
    size: () => own.reduce((sum, { table }) => sum + table.size, shipped.table.size),
    version: () => versionOf(own),
    newestAtMs: () =>
      Math.max(
        ...shipped.lists.map(({ released }) => Date.parse(released)),
        ...own.map(({ changedAtMs }) => changedAtMs),
      ),
  }
}

const VERSION_DIGITS = 16

function versionOf(own: readonly OwnList[]): string {
  const files = own.map(({ file, changedAtMs, table }) => [file, changedAtMs, table.size])
  return hash("sha256", JSON.stringify([shippedVersion(), files])).slice(0, VERSION_DIGITS)
}

const NOT_BLOCKLISTED: DomainFacts["blocklist"] = []
/**
 * One bulk list alone is wrong too often to be a verdict. Models from 1.1 on read
 * `disposableLikely` instead.
 */
const WEAKLY_BLOCKLISTED: DomainFacts["blocklist"] = [{ conf: 0.3, age: 0, likelyDisposable: true }]
/**
 * A refusal by an operator's list. It is in force, so it weighs the same however old the list is.
 */
const DENIED = { conf: 1, age: 0 }

function factsOf(judgement: Judgement, ownLists: readonly OwnList[]): DomainFacts {
  const { category, toxic, blocklisted, homograph, looks, own } = judgement
  const imitates = homograph?.imitates ?? judgement.imitates
  const { disposableLikely } = judgement
  const denying = own.find(({ says }) => says === "deny")?.origin
  return {
    ...listFacts(judgement, denying, ownLists),
    imitates: judgement.imitates,
    homograph,
    looks,
    explained: {
      category,
      toxic,
      blocklisted,
      disposable_likely: disposableLikely,
      origins: originsOf(judgement),
      imitates,
      homograph: homograph !== null,
      role: false,
    },
  }
}

/** What lists alone say of a domain. `denying`: the operator's file that refuses it. */
export function listFacts(
  verdict: Verdict,
  denying: string | undefined,
  ownLists: readonly OwnList[],
): Omit<DomainFacts, "imitates" | "homograph" | "looks" | "explained"> {
  const { category, toxic, firstSeenMs, disposableLikely, blocklisted, guarded, known } = verdict
  const list = blocklisted === "denied" ? ownLists.find(({ file }) => file === denying) : undefined
  return {
    category,
    toxic,
    firstSeenMs,
    disposableLikely,
    standing: category === "disposable" ? "listed" : guarded || known ? "guarded" : null,
    known,
    blocklist:
      blocklisted === null
        ? NOT_BLOCKLISTED
        : blocklisted === "denied"
          ? [DENIED]
          : WEAKLY_BLOCKLISTED,
    deniedBy: list === undefined ? null : { name: list.file, changedAtMs: list.changedAtMs },
  }
}

/**
 * The operator's lists that name the domain and, unless they decide alone, the shipped ones the
 * verdict rests on.
 */
function originsOf({ category, blocklisted, own, shipped }: Judgement): string[] {
  const decided = own.some(({ says }) => says === category || says === "allow")
  const resting = decided
    ? []
    : shipped.filter(({ says }) =>
        says === "curated" || says === "bulk"
          ? category === "disposable" || blocklisted === "weakly"
          : says === category || (says === "mainstream" && category === "free"),
      )
  return [...new Set([...own, ...resting].map(({ origin }) => origin))]
}
