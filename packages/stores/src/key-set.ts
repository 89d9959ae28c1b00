const WORDS = 4
const BYTES = 4 * WORDS
const SLOTS_FIRST = 256
/** Above the first four bytes of every key, as a number. */
const FIRST_MAX = 2 ** 32

/**
 * Keys of identities in one array, where each has the place that its first bytes say, or the next
 * free one: keys are random, so those bytes spread them evenly. A Set would need a text for every
 * key that is looked for.
 */
export class KeySet {
  #size = 0
  #words = new Int32Array(SLOTS_FIRST * WORDS)
  readonly #wanted = new Int32Array(WORDS)

  get size(): number {
    return this.#size
  }

  has(key: Uint8Array): boolean {
    return this.#read(key) && this.#isAt(this.#slot())
  }

  /** Keys of another length than 16 bytes are never in it, and nor is one of zeros. */
  add(key: Uint8Array): void {
    if (!this.#read(key)) return
    const slot = this.#slot()
    if (this.#isAt(slot)) return
    this.#words.set(this.#wanted, slot)
    this.#size++
    if (2 * WORDS * this.#size > this.#words.length) this.#grow()
  }

  /** Leaves only the keys whose first four bytes are, as a number, below this one. */
  keepBelow(bound: number): void {
    this.#refill(this.#words.length, bound)
  }

  /** Takes a key as the one that is looked for, if it can be in the set. */
  #read(key: Uint8Array): boolean {
    if (key.length !== BYTES) return false
    let any = 0
    for (let word = 0, at = 0; word < WORDS; word++, at += 4) {
      const bits =
        ((key[at] as number) << 24) |
        ((key[at + 1] as number) << 16) |
        ((key[at + 2] as number) << 8) |
        (key[at + 3] as number)
      this.#wanted[word] = bits
      any |= bits
    }
    return any !== 0
  }

  /** Where the wanted key is, or the free place where it belongs. */
  #slot(): number {
    const words = this.#words
    let slot = ((this.#wanted[0] as number) * WORDS) & (words.length - 1)
    while (!this.#isAt(slot) && !this.#isFree(slot)) slot = (slot + WORDS) & (words.length - 1)
    return slot
  }

  #isAt(slot: number): boolean {
    const words = this.#words
    const wanted = this.#wanted
    return (
      words[slot] === wanted[0] &&
      words[slot + 1] === wanted[1] &&
      words[slot + 2] === wanted[2] &&
      words[slot + 3] === wanted[3]
    )
  }

  #isFree(slot: number): boolean {
    const words = this.#words
    return (
      ((words[slot] as number) |
        (words[slot + 1] as number) |
        (words[slot + 2] as number) |
        (words[slot + 3] as number)) ===
      0
    )
  }

  #grow(): void {
    this.#refill(2 * this.#words.length, FIRST_MAX)
  }

  #refill(length: number, bound: number): void {
    const before = this.#words
    this.#words = new Int32Array(length)
    this.#size = 0
    for (let at = 0; at < before.length; at += WORDS) {
      this.#wanted.set(before.subarray(at, at + WORDS))
      if ((this.#wanted[0] as number) >>> 0 >= bound) continue
      if (this.#wanted.every((word) => word === 0)) continue
      this.#words.set(this.#wanted, this.#slot())
      this.#size++
    }
  }
}
