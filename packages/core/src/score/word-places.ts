const NOT_FOUND = -1
const SLOTS = 64
const FACTORS_MAX = 1_000

/**
 * Finds the place of a word among a few. A word's slot follows from its first and last letter and
 * its length, by a factor that gives each word a slot of its own. So a search is one comparison
 * whatever the word is: a walk along the words ends at another one each time, which the processor
 * cannot foresee, and a Map takes longer.
 */
export class WordPlaces {
  readonly #words: readonly string[]
  readonly #factor: number
  /** By slot. */
  readonly #places = new Int8Array(SLOTS).fill(NOT_FOUND)

  constructor(words: readonly string[]) {
    this.#words = words
    this.#factor = factorFor(words)
    words.forEach((word, place) => (this.#places[slotOf(word, this.#factor)] = place))
  }

  of(word: string, otherwise: number): number {
    const place = this.#places[slotOf(word, this.#factor)] as number
    return place !== NOT_FOUND && this.#words[place] === word ? place : otherwise
  }
}

function slotOf(word: string, factor: number): number {
  const { length } = word
  const letters = word.charCodeAt(0) + factor * word.charCodeAt(length - 1)
  return (letters + length) & (SLOTS - 1)
}

function factorFor(words: readonly string[]): number {
  for (let factor = 1; factor <= FACTORS_MAX; factor++) {
    if (new Set(words.map((word) => slotOf(word, factor))).size === words.length) return factor
  }
  throw new RangeError("some of the words are too much alike")
}
