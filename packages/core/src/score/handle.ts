import table from "./handle-table.json" with { type: "json" }
import { clip } from "./scale.ts"

// How much a local part looks made up: digits, length, runs of consonants, and how surprising its
// letters are under trigram counts of public-domain name lists. It knows Latin letters only, and
// the clip keeps the shape of an address from deciding anything alone.

const START = 26
const LETTERS = 26
const SYMBOLS = 27
const BITS_PER_LETTER_WITHOUT_LETTERS = 8
const INITIAL_BITS = Math.log2(LETTERS)
const INITIAL_TOKEN_LETTERS_MIN = 5
const CONSONANT_RUN = 5

const PLUS = 0x2b
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const LETTER_A = 0x61
const LETTER_Z = 0x7a

/** A bit for each letter; y is none. */
const CONSONANTS = Array.from("bcdfghjklmnpqrstvwxz").reduce(
  (bits, letter) => bits | (1 << symbolOf(letter)),
  0,
)

/**
 * Bits of surprise for each (first, second, third) letter, made for the pairs of letters that a
 * handle has: most processes that import this score none. 0 where it was not made.
 */
const bitsOfTrigram = new Float64Array(SYMBOLS * SYMBOLS * LETTERS)

const thirdsAfter: Readonly<Record<string, string>> = table.trigrams

/** Half a count is given to every letter. */
function makeBitsAfter(first: number, second: number): void {
  const counts = new Float64Array(LETTERS)
  let all = 0
  for (const third of thirdsAfter[letterOf(first) + letterOf(second)]?.split(" ") ?? []) {
    const count = Number(third.slice(1))
    all += count
    // The end of a name belongs to its context but is never scored: a handle may stop anywhere.
    if (third.charAt(0) !== "$") counts[symbolOf(third)] = count
  }
  const bits = counts.map((count) => -Math.log2((count + 0.5) / (all + 13.5)))
  bitsOfTrigram.set(bits, (first * SYMBOLS + second) * LETTERS)
}

function letterOf(symbol: number): string {
  return symbol === START ? "^" : String.fromCharCode(LETTER_A + symbol)
}

/** Of the first letter. */
function symbolOf(text: string): number {
  return text.charCodeAt(0) - LETTER_A
}

/** What one walk over a local part finds. */
interface Shape {
  /** Characters before a tag. */
  readonly length: number
  readonly digits: number
  /** Letters a to z, and the bits of their surprise. */
  readonly letters: number
  readonly bits: number
  readonly hasConsonantRun: boolean
  readonly isAscii: boolean
}

/** Reads a handle up to its tag, letter by letter: regular expressions took four times as long. */
function shapeOf(handle: string): Shape {
  const reading = new TokenReading()
  let units = 0
  let pairs = 0
  let digits = 0
  let run = 0
  let longestRun = 0
  let letters = 0
  let bits = 0
  let highest = 0
  for (; units < handle.length; units++) {
    const unit = handle.charCodeAt(units)
    if (unit === PLUS) break
    if (unit >= LETTER_A && unit <= LETTER_Z) {
      const letter = unit - LETTER_A
      reading.add(letter)
      letters++
      run = (CONSONANTS & (1 << letter)) === 0 ? 0 : run + 1
      longestRun = Math.max(longestRun, run)
      continue
    }
    bits += reading.end()
    run = 0
    if (unit >= DIGIT_0 && unit <= DIGIT_9) digits++
    highest = Math.max(highest, unit)
    if (isLowSurrogate(unit) && isHighSurrogate(handle.charCodeAt(units - 1))) pairs++
  }
  bits += reading.end()
  return {
    length: units - pairs,
    digits,
    letters,
    bits,
    hasConsonantRun: longestRun >= CONSONANT_RUN,
    isAscii: highest < 0x80,
  }
}

/** The surprise of a run of letters, read as one word and as an initial before a surname. */
class TokenReading {
  #letters = 0
  #first = START
  #second = START
  #bits = 0
  /** The same from the second letter on. */
  #surnameFirst = START
  #surnameSecond = START
  #surnameBits = 0

  add(letter: number): void {
    this.#bits += surprise(this.#first, this.#second, letter)
    this.#first = this.#second
    this.#second = letter
    if (this.#letters > 0) {
      this.#surnameBits += surprise(this.#surnameFirst, this.#surnameSecond, letter)
      this.#surnameFirst = this.#surnameSecond
      this.#surnameSecond = letter
    }
    this.#letters++
  }

  /** The bits of the run that ends here; the next letter starts another. */
  end(): number {
    if (this.#letters === 0) return 0
    const bits = this.#cheapest()
    this.#letters = 0
    this.#first = this.#second = START
    this.#surnameFirst = this.#surnameSecond = START
    this.#bits = this.#surnameBits = 0
    return bits
  }

  // jsmith is an initial and a surname, not an unlikely word: the cheaper reading counts.
  #cheapest(): number {
    if (this.#letters < INITIAL_TOKEN_LETTERS_MIN) return this.#bits
    return Math.min(this.#bits, this.#surnameBits + INITIAL_BITS)
  }
}

function surprise(first: number, second: number, third: number): number {
  const place = (first * SYMBOLS + second) * LETTERS + third
  if (bitsOfTrigram[place] === 0) makeBitsAfter(first, second)
  return bitsOfTrigram[place] ?? 0
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** Mean surprise of the letters of a local part, in bits; 8 when it holds no letter. */
export function bitsPerLetter(localPart: string): number {
  return meanBits(shapeOf(localPart.toLowerCase()))
}

function meanBits({ letters, bits }: Shape): number {
  return letters === 0 ? BITS_PER_LETTER_WITHOUT_LETTERS : bits / letters
}

/**
 * The handle score in nats, from -0.6 to 1.2; null where a letter outside a-z makes it unknowable.
 */
export function handleScore(localPart: string): number | null {
  return handleOf(localPart)?.score ?? null
}

/** The same with the number of characters that the score looks at. */
export function handleOf(localPart: string): { score: number; length: number } | null {
  const handle = localPart.toLowerCase()
  const shape = shapeOf(handle)
  if (!shape.isAscii && hasOtherLetters(handle)) return null
  const { length } = shape
  const form = (shape.hasConsonantRun ? 0.3 : 0) + (length >= 20 ? 0.2 : 0)
  const nats = digitNats(shape.digits) + surpriseNats(meanBits(shape)) + form
  return { score: clip(nats, -0.6, 1.2), length }
}

function hasOtherLetters(handle: string): boolean {
  const plus = handle.indexOf("+")
  const untagged = plus < 0 ? handle : handle.slice(0, plus)
  return /\p{L}/u.test(untagged.replace(/[a-z]/g, ""))
}

function digitNats(digits: number): number {
  if (digits === 0) return -0.2
  if (digits <= 2) return 0
  return digits <= 4 ? 0.25 : 0.7
}

function surpriseNats(bits: number): number {
  if (bits < 3.5) return -0.3
  if (bits < 4) return -0.15
  if (bits < 4.5) return 0
  if (bits < 5) return 0.2
  return bits < 6 ? 0.4 : 0.7
}
