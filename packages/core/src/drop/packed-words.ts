/**
 * A word list in one string, for the scripts: each word gives the number of letters it shares with
 * the one before. Lists are almost in alphabetical order, so this takes a quarter off a packed
 * script. Composed letters take less space than letters with separate accents.
 */
export function packWords(words: readonly string[]): string {
  let before = ""
  return words
    .map((each) => {
      const word = each.normalize("NFC")
      let shared = 0
      while (shared < 9 && shared < word.length && word[shared] === before[shared]) shared++
      before = word
      return `${shared}${word.slice(shared)}`
    })
    .join("")
}

export function unpackWords(packed: string): string[] {
  let word = ""
  return (packed.match(/\d\D*/g) ?? []).map(
    (each) => (word = word.slice(0, Number(each[0])) + each.slice(1)),
  )
}
