// Addresses made by a program come in families: a fixed text with a number that changes. The
// skeleton of a local part is what such a family has in common. It is kept narrow on purpose:
// strangers who share a skeleton would answer for each other.

const DIGITS = /\p{Nd}+/gu
const DIGIT = /\p{Nd}/gu
const LETTER = /\p{L}/u
/**
 * Letters, marks and digits in one piece; what separates them (dots, hyphens) is part of the
 * skeleton.
 */
const TOKEN = /[\p{L}\p{M}\p{Nd}]+/gu
const CHANGE = /(?<=\p{Nd})(?=[\p{L}\p{M}])|(?<=[\p{L}\p{M}])(?=\p{Nd})/gu
/** `anna8` changes once and `a2b` twice; at four the letters are as random as the digits. */
const CHANGES_MANY = 4

/**
 * What a family of generated local parts has in common: `anna.k8371` and `anna.k22` are both
 * `anna.k0`.
 *
 * - Letters and separators stay, each run of digits becomes `0`.
 * - A token in which letters and digits change places four times or more (`x7k2p9`) names nobody:
 *   its length stays.
 * - Without a letter the first half of the digits and their number stay. Some providers give out
 *   plain numbers, so numbers alone are no family; counted-up ones are.
 *
 * Takes a local part in lower case, without its tag. Numbers of different length never share a
 * skeleton.
 */
export function handleSkeleton(local: string): string {
  if (!LETTER.test(local)) return numberSkeleton(local)
  return local.replace(TOKEN, (token) =>
    (token.match(CHANGE)?.length ?? 0) >= CHANGES_MANY
      ? `~${token.length}`
      : token.replace(DIGITS, "0"),
  )
}

function numberSkeleton(local: string): string {
  let kept = Math.ceil((local.match(DIGIT)?.length ?? 0) / 2)
  return local.replace(DIGIT, (digit) => (kept-- > 0 ? digit : "0"))
}
