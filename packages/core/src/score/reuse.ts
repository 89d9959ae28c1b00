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
  /** Sets of at most two kinds that together show a reuse. */
  readonly #pairs: number[] = []
  readonly #items: readonly Item[]

  constructor(items: readonly Item[]) {
    this.#items = items.filter(({ prints }) => prints.length > 0)
    for (const sources of sourcesByKind(this.#items).values()) this.#addPairs(sources)
  }

  isShownBy(kinds: number): boolean {
    return this.#pairs.some((pair) => (pair & kinds) === pair)
  }

  /** The facts for the reuse sentence; null when no password was reused. */
  reused(): ReusedPassword | null {
    const found = new Map<string, { sources: Set<number>; age: number }>()
    for (const { prints, source, age } of this.#items) {
      for (const print of prints) {
        const seen = found.get(print) ?? { sources: new Set(), age }
        seen.sources.add(source)
        found.set(print, { sources: seen.sources, age: Math.min(seen.age, age) })
      }
    }
    const reused = [...found.values()].filter(({ sources }) => sources.size > 1)
    if (reused.length === 0) return null
    return {
      sources: Math.max(...reused.map(({ sources }) => sources.size)),
      age: Math.min(...reused.map(({ age }) => age)),
    }
  }

  #addPairs(sources: Int32Array): void {
    for (let a = 0; a < KINDS; a++) {
      if (sources[a] === NOBODY) continue
      if (sources[a] === SEVERAL) this.#addPair(1 << a)
      for (let b = a + 1; b < KINDS; b++) {
        if (sources[b] === NOBODY) continue
        const same = sources[a] === sources[b] && sources[a] !== SEVERAL
        if (!same) this.#addPair((1 << a) | (1 << b))
      }
    }
  }

  #addPair(kinds: number): void {
    if (!this.#pairs.includes(kinds)) this.#pairs.push(kinds)
  }
}

/** For each fingerprint and kind: its only source, `SEVERAL`, or `NOBODY`. */
function sourcesByKind(items: readonly Item[]): Map<string, Int32Array> {
  const found = new Map<string, Int32Array>()
  for (const { prints, kind, source } of items) {
    for (const print of prints) {
      const sources = found.get(print) ?? new Int32Array(KINDS).fill(NOBODY)
      const known = sources[kind]
      sources[kind] = known === NOBODY || known === source ? source : SEVERAL
      found.set(print, sources)
    }
  }
  return found
}
