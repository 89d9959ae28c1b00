/** A window, by the two halves of its name. */
export interface WindowName {
  readonly high: number
  readonly low: number
}

const CAPACITY_MIN = 1024
/** The words of an entry. `NEXT` is the place of the next entry of the same chain, counted from 1; 0 ends it. */
const HIGH = 0
const LOW = 1
const MEMBER = 2
const FIRST = 3
const LAST = 4
const NEXT = 5
const WORDS = 6

/**
 * The sign-ups of one UTC day: which members each window has, and when each first and last signed up. A hash table in
 * typed arrays, 28 bytes an entry, because a busy day has millions of them and they must neither be many objects nor
 * be walked by the garbage collector. Times are seconds since 1970; an entry whose `LAST` is 0 was removed.
 *
 * A member is known by 32 bits of its name: within the largest window two members look the same once in 8,000.
 */
export class DayWindows {
  #entries = new Uint32Array(CAPACITY_MIN * WORDS)
  #heads = new Uint32Array(CAPACITY_MIN)
  #used = 0
  #oldest = 0
  #live = 0

  /** How many entries there are. */
  get size(): number {
    return this.#live
  }

  /** The place of a member's entry, or -1. */
  find(window: WindowName, member: number): number {
    for (let at = this.#head(window); at >= 0; at = this.#after(at))
      if (this.#is(at, window) && this.#word(at, MEMBER) === member) return at
    return -1
  }

  firstOf(at: number): number {
    return this.#word(at, FIRST)
  }

  /** Notes that the member signed up at this time too. */
  extend(at: number, seconds: number): void {
    const base = at * WORDS
    this.#entries[base + FIRST] = Math.min(this.#word(at, FIRST), seconds)
    this.#entries[base + LAST] = Math.max(this.#word(at, LAST), seconds)
  }

  add(window: WindowName, member: number, first: number, last: number): void {
    if ((this.#used + 1) * WORDS > this.#entries.length) this.#grow()
    const at = this.#used++
    this.#live++
    this.#entries.set([window.high, window.low, member, first, last, 0], at * WORDS)
    this.#link(at)
  }

  /** Members with a sign-up after `after`, up to and including `until`. */
  count(window: WindowName, after: number, until: number): number {
    let count = 0
    for (let at = this.#head(window); at >= 0; at = this.#after(at))
      if (this.#is(at, window) && this.#word(at, LAST) > after && this.#word(at, FIRST) <= until)
        count++
    return count
  }

  /** The first sign-up of any member up to `until`; Infinity where there is none. */
  first(window: WindowName, until: number): number {
    let first = Infinity
    for (let at = this.#head(window); at >= 0; at = this.#after(at))
      if (this.#is(at, window) && this.#word(at, FIRST) <= until)
        first = Math.min(first, this.#word(at, FIRST))
    return first
  }

  members(window: WindowName): number {
    return this.count(window, 0, Infinity)
  }

  /** Overwrites the entry, so that its name is gone from memory too. */
  remove(at: number): void {
    const slot = this.#slotOf(at)
    let before = -1
    for (let on = (this.#heads[slot] ?? 0) - 1; on >= 0 && on !== at; on = this.#after(on))
      before = on
    const next = this.#word(at, NEXT)
    if (before < 0) this.#heads[slot] = next
    else this.#entries[before * WORDS + NEXT] = next
    this.#entries.fill(0, at * WORDS, (at + 1) * WORDS)
    this.#live--
  }

  /** Removes the entry that was added first. False where there is none. */
  removeOldest(): boolean {
    while (this.#oldest < this.#used && this.#word(this.#oldest, LAST) === 0) this.#oldest++
    if (this.#oldest === this.#used) return false
    this.remove(this.#oldest)
    return true
  }

  /** Removes what last happened before this time. */
  removeBefore(seconds: number): void {
    for (let at = this.#oldest; at < this.#used; at++) {
      const last = this.#word(at, LAST)
      if (last !== 0 && last < seconds) this.remove(at)
    }
  }

  #word(at: number, word: number): number {
    return this.#entries[at * WORDS + word] ?? 0
  }

  #head({ low }: WindowName): number {
    return (this.#heads[low & (this.#heads.length - 1)] ?? 0) - 1
  }

  #slotOf(at: number): number {
    return this.#word(at, LOW) & (this.#heads.length - 1)
  }

  #after(at: number): number {
    return this.#word(at, NEXT) - 1
  }

  #is(at: number, { high, low }: WindowName): boolean {
    return this.#word(at, LOW) === low && this.#word(at, HIGH) === high
  }

  #link(at: number): void {
    const slot = this.#slotOf(at)
    this.#entries[at * WORDS + NEXT] = this.#heads[slot] ?? 0
    this.#heads[slot] = at + 1
  }

  /** Twice as large, without the entries that were removed. */
  #grow(): void {
    const old = this.#entries
    const used = this.#used
    const capacity = this.#live * 2 > used ? 2 * this.#heads.length : this.#heads.length
    this.#entries = new Uint32Array(capacity * WORDS)
    this.#heads = new Uint32Array(capacity)
    this.#used = 0
    this.#oldest = 0
    for (let at = 0; at < used; at++) {
      if (old[at * WORDS + LAST] === 0) continue
      this.#entries.set(old.subarray(at * WORDS, (at + 1) * WORDS), this.#used * WORDS)
      this.#link(this.#used++)
    }
  }
}
