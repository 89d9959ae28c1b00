const count = new Intl.NumberFormat()

/** What an import added to the corpus, as a sentence. */
export function importedWords(of: {
  readonly imported: number
  readonly identities: number
  readonly known: number
  readonly repeated: number
}): string {
  const { imported, identities, known, repeated } = of
  const added =
    imported === 0
      ? "Nothing in it is new"
      : `${numbered(imported, "observation")} of ${numbered(identities, "identity", "identities")} ${imported === 1 ? "is new and counts" : "are new and count"} from now on`
  return `${added}; ${were(known)} known before, ${were(repeated)} in it more than once.`
}

const numbered = (n: number, one: string, many = `${one}s`): string =>
  `${count.format(n)} ${n === 1 ? one : many}`

const were = (n: number): string =>
  n === 0 ? "none was" : `${count.format(n)} ${n === 1 ? "was" : "were"}`
