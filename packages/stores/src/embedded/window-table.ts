/** A window, by the two halves of its name. */
export interface WindowName {
  readonly high: number
  readonly low: number
}

const CAPACITY_MIN = 32
/**
 * Small steps: memory follows the number of entries, and each entry is moved about five times in
 * total.
 */
const GROWTH = 1.25
/**
 * The words of an entry. `NEXT` is the place of the next entry of the same chain, counted from 1; 0
 * ends it.
 */
const HIGH = 0
const LOW = 1
const MEMBER = 2
const FIRST = 3
const LAST = 4
const NEXT = 5
const WORDS = 6

/**
 * Which members each window has, and when each first and last signed up: a hash table in typed
 * arrays, about 30 bytes an entry, because a busy day has millions of them, and they must neither
 * be many objects nor be walked by the garbage collector. Times are seconds since 1970; an entry
 * whose `LAST` is 0 was removed.
 *
 * A member is known by 32 bits of its name: in a window of 500 two members look the same once in
 * 34,000 windows.
 */
export class WindowTable {
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
    const base = at * WORDS
    this.#entries[base + HIGH] = window.high
    this.#entries[base + LOW] = window.low
    this.#entries[base + MEMBER] = member
    this.#entries[base + FIRST] = first
    this.#entries[base + LAST] = last
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
  earliest(window: WindowName, until: number): number {
    let first = Infinity
    for (let at = this.#head(window); at >= 0; at = this.#after(at))
      if (this.#is(at, window) && this.#word(at, FIRST) <= until)
        first = Math.min(first, this.#word(at, FIRST))
    return first
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

  /** The place of the entry that was added first, or -1. */
  oldest(): number {
    while (this.#oldest < this.#used && this.#word(this.#oldest, LAST) === 0) this.#oldest++
    return this.#oldest === this.#used ? -1 : this.#oldest
  }

  lastOf(at: number): number {
    return this.#word(at, LAST)
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

  /** Room for more, without the entries that were removed. */
  #grow(): void {
    const old = this.#entries
    const used = this.#used
    const capacity = Math.max(CAPACITY_MIN, Math.ceil(this.#live * GROWTH) + 1)
    this.#entries = new Uint32Array(capacity * WORDS)
    this.#heads = new Uint32Array(2 ** Math.floor(Math.log2(capacity)))
    this.#used = 0
    this.#oldest = 0
    for (let at = 0; at < used; at++) {
      if (old[at * WORDS + LAST] === 0) continue
      this.#entries.set(old.subarray(at * WORDS, (at + 1) * WORDS), this.#used * WORDS)
      this.#link(this.#used++)
    }
  }
}
