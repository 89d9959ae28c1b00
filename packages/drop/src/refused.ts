/** The one word that a script gets for a request that was refused. */
export type RefusalWord = "ticket" | "size" | "header" | "keys-changed" | "busy" | "full" | "broken"

export class Refused extends Error {
  override readonly name = "Refused"
  readonly status: number
  readonly word: RefusalWord
  constructor(status: number, word: RefusalWord) {
    super(word)
    this.status = status
    this.word = word
  }
}
