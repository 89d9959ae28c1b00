import { EXPOSURE_KINDS } from "./vocabulary.ts"

const KINDS = EXPOSURE_KINDS.length
const NONE = -1
const ROOM_FIRST = 64

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
  #reused: ReusedPassword | null = null
  /** The numbers of fingerprints. */
  readonly #places = new Map<string, number>()
  /** By fingerprint: its last leak, how many sources have it, and the smallest age. */
  #lastLeak = new Int32Array(ROOM_FIRST)
  #sourceCounts = new Int32Array(ROOM_FIRST)
  #ages = new Float64Array(ROOM_FIRST)
  /**
   * A leak is a fingerprint with a source: the source, its kinds of exposures that have the
   * fingerprint, and the leak of the same fingerprint before it.
   */
  #leaks = 0
  #leakSource = new Int32Array(ROOM_FIRST)
  #leakKinds = new Int32Array(ROOM_FIRST)
  #leakBefore = new Int32Array(ROOM_FIRST)

  /** The facts for the sentence, once closed; null when no password was reused. */
  get reused(): ReusedPassword | null {
    return this.#reused
  }

  /** Forgets what the identity before left. */
  clear(): void {
    if (this.#reused === null) return
    this.#partners.fill(0)
    this.#reused = null
  }

  /** To be called once after the last `add`: fingerprints are kept no longer than they are used. */
  close(): void {
    if (this.#leaks === 0) return
    this.#reused = this.#widest()
    this.#leaks = 0
    this.#places.clear()
  }

  add(print: string, kind: number, source: number, age: number): void {
    const place = this.#placeOf(print)
    if (age < (this.#ages[place] as number)) this.#ages[place] = age
    let own = NONE
    let kindsOfOthers = 0
    for (let leak = this.#lastLeak[place] as number; leak !== NONE;) {
      if (this.#leakSource[leak] === source) own = leak
      else kindsOfOthers |= this.#leakKinds[leak] as number
      leak = this.#leakBefore[leak] as number
    }
    if (own === NONE) own = this.#addLeak(place, source)
    this.#leakKinds[own] = (this.#leakKinds[own] as number) | (1 << kind)
    if (kindsOfOthers !== 0) this.#pair(kind, kindsOfOthers)
  }

  isShownBy(kinds: number): boolean {
    if (this.#reused === null) return false
    for (let kind = 0; kind < KINDS; kind++) {
      if ((kinds & (1 << kind)) !== 0 && (kinds & (this.#partners[kind] ?? 0)) !== 0) return true
    }
    return false
  }

  #placeOf(print: string): number {
    const known = this.#places.get(print)
    if (known !== undefined) return known
    const place = this.#places.size
    this.#places.set(print, place)
    if (place === this.#lastLeak.length) {
      this.#lastLeak = grown(this.#lastLeak)
      this.#sourceCounts = grown(this.#sourceCounts)
      this.#ages = grown(this.#ages)
    }
    this.#lastLeak[place] = NONE
    this.#sourceCounts[place] = 0
    this.#ages[place] = Infinity
    return place
  }

  #addLeak(place: number, source: number): number {
    const leak = this.#leaks++
    if (leak === this.#leakSource.length) {
      this.#leakSource = grown(this.#leakSource)
      this.#leakKinds = grown(this.#leakKinds)
      this.#leakBefore = grown(this.#leakBefore)
    }
    this.#leakSource[leak] = source
    this.#leakKinds[leak] = 0
    this.#leakBefore[leak] = this.#lastLeak[place] as number
    this.#lastLeak[place] = leak
    this.#sourceCounts[place] = (this.#sourceCounts[place] as number) + 1
    return leak
  }

  #pair(kind: number, others: number): void {
    this.#partners[kind] = (this.#partners[kind] ?? 0) | others
    for (let other = 0; other < KINDS; other++) {
      if ((others & (1 << other)) === 0) continue
      this.#partners[other] = (this.#partners[other] ?? 0) | (1 << kind)
    }
  }

  #widest(): ReusedPassword | null {
    let sources = 1
    let age = Infinity
    for (let place = 0; place < this.#places.size; place++) {
      const count = this.#sourceCounts[place] as number
      if (count < 2) continue
      sources = Math.max(sources, count)
      age = Math.min(age, this.#ages[place] as number)
    }
    return sources < 2 ? null : { sources, age }
  }
}

function grown<Numbers extends Int32Array | Float64Array>(numbers: Numbers): Numbers {
  const room = new (numbers.constructor as new (length: number) => Numbers)(2 * numbers.length)
  room.set(numbers)
  return room
}
