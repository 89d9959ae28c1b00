/**
 * The separator between the fields of a line: one character, or white space of any length. With a
 * space after the character (`": "`), one space belongs to the delimiter and not to the field; a
 * line may leave it out.
 */
export class Delimiter {
  readonly #character: string
  readonly #space: boolean
  readonly #white: boolean

  constructor(text: string) {
    this.#character = text.charAt(0)
    this.#white = text.trim() === ""
    this.#space = !this.#white && text.endsWith(" ")
  }

  get isColon(): boolean {
    return this.#character === ":"
  }

  /** Where the next delimiter begins; -1 if there is none. */
  find(text: string, from: number): number {
    if (!this.#white) return text.indexOf(this.#character, from)
    const space = text.indexOf(" ", from)
    const tab = text.indexOf("\t", from)
    return space === -1 || (tab !== -1 && tab < space) ? tab : space
  }

  findLast(text: string): number {
    if (!this.#white) return text.lastIndexOf(this.#character)
    return Math.max(text.lastIndexOf(" "), text.lastIndexOf("\t"))
  }

  /** Where the field after the delimiter at `at` begins. */
  after(text: string, at: number): number {
    let next = at + 1
    if (this.#white) while (isSpaceOrTab(text, next)) next++
    else if (this.#space && text.charAt(next) === " ") next++
    return next
  }

  /** Where the field before the one at `at` ends. */
  before(text: string, at: number): number {
    let end = at
    if (this.#white) while (end > 0 && isSpaceOrTab(text, end - 1)) end--
    return end
  }
}

function isSpaceOrTab(text: string, at: number): boolean {
  const character = text.charAt(at)
  return character === " " || character === "\t"
}

/** For a person: `separated by ";"`. */
export function separation(delimiter: string): string {
  if (delimiter === "\t") return "separated by tabs"
  if (delimiter.trim() === "") return "separated by spaces"
  return `separated by "${delimiter}"`
}
