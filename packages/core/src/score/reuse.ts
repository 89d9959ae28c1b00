import type { Item } from "./merge.ts"
import { NameNumbers } from "./name-numbers.ts"
import { EXPOSURE_KINDS } from "./vocabulary.ts"

const KINDS = EXPOSURE_KINDS.length
const NOBODY = -1
const SEVERAL = -2

export interface ReusedPassword {
  /** Distinct sources that leaked the most widely seen password. */
  readonly sources: number
  /** The smallest age among the exposures that carry a reused password. */
  readonly age: number
}

/**
 * Whether two or more sources leaked one password, for any set of kinds (a bit mask over
 * `EXPOSURE_KINDS`). Fingerprints are only ever compared, and only within one identity.
 */
export class PasswordReuse {
  /** By kind, the kinds beside which it shows a reuse; its own where it does so alone. */
  readonly #partners = new Uint32Array(KINDS)
  #isShown = false
  readonly #prints = new NameNumbers()
  /** For each fingerprint and kind: its only source, `SEVERAL`, or `NOBODY`. */
  readonly #sources: number[] = []

  /** Forgets what the identity before left. */
  clear(): void {
    if (this.#prints.count === 0) return
    this.#prints.clear()
    this.#sources.length = 0
    if (this.#isShown) this.#partners.fill(0)
    this.#isShown = false
  }

  add({ prints, kind, source }: Item): void {
    for (const print of prints) {
      const from = KINDS * this.#prints.numberOf(print)
      while (this.#sources.length < from + KINDS) this.#sources.push(NOBODY)
      for (let other = 0; other < KINDS; other++) {
        const known = this.#sources[from + other] ?? NOBODY
        if (known !== NOBODY && known !== source) this.#pair(kind, other)
      }
      const known = this.#sources[from + kind]
      this.#sources[from + kind] = known === NOBODY || known === source ? source : SEVERAL
    }
  }

  isShownBy(kinds: number): boolean {
    if (!this.#isShown) return false
    for (let kind = 0; kind < KINDS; kind++) {
      if ((kinds & (1 << kind)) !== 0 && (kinds & (this.#partners[kind] ?? 0)) !== 0) return true
    }
    return false
  }

  #pair(a: number, b: number): void {
    this.#isShown = true
    this.#partners[a] = (this.#partners[a] ?? 0) | (1 << b)
    this.#partners[b] = (this.#partners[b] ?? 0) | (1 << a)
  }
}

/** The facts for the reuse sentence; null when no password was reused. */
export function reusedPassword(items: readonly Item[]): ReusedPassword | null {
  const found = new Map<string, { sources: Set<number>; age: number }>()
  for (const { prints, source, age } of items) {
    for (const print of prints) {
      const seen = found.get(print)
      if (seen === undefined) {
        found.set(print, { sources: new Set([source]), age })
      } else {
        seen.sources.add(source)
        seen.age = Math.min(seen.age, age)
      }
    }
  }
  let sources = 1
  let newest = Infinity
  for (const seen of found.values()) {
    if (seen.sources.size < 2) continue
    sources = Math.max(sources, seen.sources.size)
    newest = Math.min(newest, seen.age)
  }
  return sources < 2 ? null : { sources, age: newest }
}
