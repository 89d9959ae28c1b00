import type { Item } from "./merge.ts"
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
  /** Where the sources of a fingerprint start. */
  readonly #places = new Map<string, number>()
  /** For each fingerprint and kind: its only source, `SEVERAL`, or `NOBODY`. */
  readonly #sources: number[] = []

  /** Forgets what the identity before left. */
  clear(): void {
    if (this.#isShown) this.#partners.fill(0)
    this.#isShown = false
  }

  /** To be called once after the last `add`: fingerprints are kept no longer than they are used. */
  close(): void {
    if (this.#places.size === 0) return
    this.#places.clear()
    this.#sources.length = 0
  }

  add({ prints, kind, source }: Item): void {
    for (const print of prints) {
      const from = this.#placeOf(print)
      for (let other = 0; other < KINDS; other++) {
        const known = this.#sources[from + other] ?? NOBODY
        if (known !== NOBODY && known !== source) this.#pair(kind, other)
      }
      const known = this.#sources[from + kind]
      this.#sources[from + kind] = known === NOBODY || known === source ? source : SEVERAL
    }
  }

  #placeOf(print: string): number {
    const known = this.#places.get(print)
    if (known !== undefined) return known
    const place = this.#sources.length
    this.#places.set(print, place)
    for (let kind = 0; kind < KINDS; kind++) this.#sources.push(NOBODY)
    return place
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
  const seen = new Map<string, Seen>()
  for (const { prints, source, age } of items) {
    for (const print of prints) {
      const known = seen.get(print)
      if (known === undefined) seen.set(print, { source, sources: null, age })
      else seeAgain(known, source, age)
    }
  }
  let most = 1
  let newest = Infinity
  for (const { sources, age } of seen.values()) {
    if (sources === null) continue
    most = Math.max(most, sources.size)
    newest = Math.min(newest, age)
  }
  return most < 2 ? null : { sources: most, age: newest }
}

/** Who leaked a fingerprint, and the smallest age among its exposures. */
interface Seen {
  /** The first source; most fingerprints have no other. */
  readonly source: number
  sources: Set<number> | null
  age: number
}

function seeAgain(seen: Seen, source: number, age: number): void {
  seen.age = Math.min(seen.age, age)
  if (seen.sources !== null) seen.sources.add(source)
  else if (source !== seen.source) seen.sources = new Set([seen.source, source])
}
