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

const bitsOfTrigram = trigramBits(table.trigrams)

/**
 * Bits of surprise for each (first, second, third) letter; half a count is given to every letter.
 */
function trigramBits(trigrams: Readonly<Record<string, number>>): Float64Array {
  const counts = new Float64Array(SYMBOLS * SYMBOLS * LETTERS)
  const contexts = new Float64Array(SYMBOLS * SYMBOLS)
  for (const [trigram, count] of Object.entries(trigrams)) {
    const context = symbol(trigram, 0) * SYMBOLS + symbol(trigram, 1)
    contexts[context] = (contexts[context] ?? 0) + count
    // The end of a name belongs to its context but is never scored: a handle may stop anywhere.
    if (trigram.charAt(2) !== "$") counts[context * LETTERS + symbol(trigram, 2)] = count
  }
  return counts.map((count, i) => {
    const context = contexts[Math.floor(i / LETTERS)] ?? 0
    return -Math.log2((count + 0.5) / (context + 13.5))
  })
}

function symbol(text: string, at: number): number {
  return text.charAt(at) === "^" ? START : text.charCodeAt(at) - 97
}

function tokenBits(token: string, from: number): number {
  let bits = 0
  let first = START
  let second = START
  for (let at = from; at < token.length; at++) {
    const third = symbol(token, at)
    bits += bitsOfTrigram[(first * SYMBOLS + second) * LETTERS + third] ?? 0
    first = second
    second = third
  }
  return bits
}

// jsmith is an initial and a surname, not an unlikely word: the cheaper reading counts.
function cheapestBits(token: string): number {
  const whole = tokenBits(token, 0)
  if (token.length < INITIAL_TOKEN_LETTERS_MIN) return whole
  return Math.min(whole, tokenBits(token, 1) + INITIAL_BITS)
}

function withoutTag(localPart: string): string {
  const folded = localPart.toLowerCase()
  const plus = folded.indexOf("+")
  return plus < 0 ? folded : folded.slice(0, plus)
}

/** Mean surprise of the letters of a local part, in bits; 8 when it holds no letter. */
export function bitsPerLetter(localPart: string): number {
  let bits = 0
  let letters = 0
  for (const token of withoutTag(localPart).match(/[a-z]+/g) ?? []) {
    bits += cheapestBits(token)
    letters += token.length
  }
  return letters === 0 ? BITS_PER_LETTER_WITHOUT_LETTERS : bits / letters
}

/** How many characters of a local part the handle score looks at. */
export function handleLength(localPart: string): number {
  return Array.from(withoutTag(localPart)).length
}

/**
 * The handle score in nats, from -0.6 to 1.2; null where a letter outside a-z makes it unknowable.
 */
export function handleScore(localPart: string): number | null {
  const handle = withoutTag(localPart)
  if (/\p{L}/u.test(handle.replace(/[a-z]/g, ""))) return null
  const digits = handle.match(/[0-9]/g)?.length ?? 0
  const consonantRun = /[bcdfghjklmnpqrstvwxz]{5}/.test(handle)
  const long = Array.from(handle).length >= 20
  const shape = (consonantRun ? 0.3 : 0) + (long ? 0.2 : 0)
  return clip(digitNats(digits) + surpriseNats(bitsPerLetter(localPart)) + shape, -0.6, 1.2)
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
