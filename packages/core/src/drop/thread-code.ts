import { sha256 } from "@noble/hashes/sha2.js"

/** The languages a thread code can be written in; every other page shows digits first. */
export const WORD_LANGUAGES = [
  "en",
  "fr",
  "es",
  "it",
  "pt",
  "cs",
  "ja",
  "ko",
  "zh-Hans",
  "zh-Hant",
] as const
export type WordLanguage = (typeof WORD_LANGUAGES)[number]

/** 2,048 words in the order of their list. */
export interface WordList {
  readonly language: WordLanguage
  readonly words: readonly string[]
}

/** 120 random bits: all that a sender keeps of a thread. */
export const SECRET_BYTES = 15

/** Words, or groups of digits, of a code: 132 bits, of which the last 12 catch mistakes. */
export const CODE_WORDS = 12

const WORD_BITS = 11
const WORD_COUNT = 2 ** WORD_BITS
/** In the lists in Latin script, this many letters identify a word. */
const PREFIX_LETTERS = 4

export function newSecret(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
}

/** The code in the words of a list, as shown to people. */
export function codeWords(secret: Uint8Array, { words }: WordList): string[] {
  // The lists are written with separate accents and, in Korean, separate letters; few fonts join
  // them well.
  return codeIndices(secret).map((index) => (words[index] ?? "").normalize("NFC"))
}

/** The code in groups of four digits, which every script and every voice has. */
export function codeNumbers(secret: Uint8Array): string[] {
  return codeIndices(secret).map((index) => String(index + 1).padStart(4, "0"))
}

/** Why a code cannot be read. `at` is the first word that is in no list, counted from 1. */
export type CodeFault =
  | { readonly fault: "empty" | "count" | "checksum" }
  | { readonly fault: "word"; readonly at: number }

/**
 * Reads what a person typed: words of any of the lists or digits, with any accents, capitals, signs
 * and widths. The same letters can be words of two languages. Then the checksum decides, and if it
 * holds for both, the earlier list wins.
 */
export function readCode(
  text: string,
  lists: readonly WordList[],
): { readonly secret: Uint8Array<ArrayBuffer> } | CodeFault {
  const tokens = tokensOf(text)
  if (tokens.length === 0) return { fault: "empty" }
  if (tokens.length !== CODE_WORDS) return { fault: "count" }
  let known = 0
  for (const find of [findNumber, ...lists.map(findIn)]) {
    const indices = tokens.map((token) => find(token) ?? findNumber(token))
    const missing = indices.indexOf(null)
    if (missing === -1) {
      const secret = secretOf(indices as number[])
      if (secret !== null) return { secret }
      known = CODE_WORDS
    } else {
      known = Math.max(known, missing)
    }
  }
  return known === CODE_WORDS ? { fault: "checksum" } : { fault: "word", at: known + 1 }
}

function codeIndices(secret: Uint8Array): number[] {
  if (secret.length !== SECRET_BYTES) throw new RangeError(`A secret has ${SECRET_BYTES} bytes`)
  let bits = (bigintOf(secret) << 12n) | checksum(secret)
  const indices: number[] = []
  for (let word = 0; word < CODE_WORDS; word += 1) {
    indices.unshift(Number(bits % BigInt(WORD_COUNT)))
    bits >>= BigInt(WORD_BITS)
  }
  return indices
}

/** The secret that these indices stand for, or null if their checksum is wrong. */
function secretOf(indices: readonly number[]): Uint8Array<ArrayBuffer> | null {
  const bits = indices.reduce((sum, index) => (sum << BigInt(WORD_BITS)) | BigInt(index), 0n)
  const secret = new Uint8Array(SECRET_BYTES)
  for (let byte = 0; byte < SECRET_BYTES; byte += 1)
    secret[byte] = Number((bits >> BigInt(12 + 8 * (SECRET_BYTES - 1 - byte))) & 0xffn)
  return checksum(secret) === (bits & 0xfffn) ? secret : null
}

/**
 * The first 12 bits of a hash: with the 4 bits that plain BIP39 has, one mistake in 16 would pass.
 */
function checksum(secret: Uint8Array): bigint {
  const hash = sha256
    .create()
    .update(new TextEncoder().encode("drop/v1/checksum"))
    .update(secret)
    .digest()
  return bigintOf(hash.subarray(0, 2)) >> 4n
}

function bigintOf(bytes: Uint8Array): bigint {
  return bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
}

/**
 * One spelling for all ways to type a word: no width, capital, accent or dakuten. No two words of a
 * list become one by it.
 */
function fold(text: string): string {
  return text.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "")
}

/** Arabic and Persian digits, which NFKD leaves as they are. */
function westernDigits(text: string): string {
  return text.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) =>
    String((digit.codePointAt(0) ?? 0) & 0xf),
  )
}

/**
 * Any character that is neither letter nor digit separates words. A Chinese character is a word,
 * and so are four digits where all 48 are typed as one.
 */
function tokensOf(text: string): string[] {
  return westernDigits(fold(text))
    .replace(/\p{Script=Han}/gu, " $& ")
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((token) => (/^\d{48}$/.test(token) ? (token.match(/\d{4}/g) ?? []) : [token]))
    .filter((token) => token !== "")
}

type Find = (token: string) => number | null

const findNumber: Find = (token) => {
  const number = /^\d{1,4}$/.test(token) ? Number(token) : 0
  return number >= 1 && number <= WORD_COUNT ? number - 1 : null
}

/** A list is looked through for every word of every try; its folded form is made once. */
const finders = new WeakMap<readonly string[], Find>()

function findIn({ words }: WordList): Find {
  let find = finders.get(words)
  if (find === undefined) finders.set(words, (find = finderOf(words)))
  return find
}

function finderOf(words: readonly string[]): Find {
  const whole = new Map<string, number>()
  const prefixes = new Map<string, number | null>()
  words.forEach((word, index) => {
    const letters = Array.from(fold(word))
    whole.set(letters.join(""), index)
    for (let count = PREFIX_LETTERS; count < letters.length; count += 1) {
      const prefix = letters.slice(0, count).join("")
      prefixes.set(prefix, prefixes.has(prefix) ? null : index)
    }
  })
  return (token) => whole.get(token) ?? prefixes.get(token) ?? null
}
