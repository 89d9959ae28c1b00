const SCANNED_MAX = 64

/**
 * Numbers names in order of appearance, for a few dozen of them. The first are found among each
 * other by a number made of their length and last letters, which takes a third of the time of a
 * Map. A Map has the rest, so that many names, or names alike, cost no more than that.
 */
export class NameNumbers {
  #names: string[] = []
  readonly #marks = new Int32Array(SCANNED_MAX)
  #further: Map<string, number> | null = null

  get count(): number {
    return this.#names.length + (this.#further?.size ?? 0)
  }

  clear(): void {
    if (this.#names.length > 0) this.#names = []
    this.#further = null
  }

  numberOf(name: string): number {
    const mark = markOf(name)
    const names = this.#names
    for (let at = 0; at < names.length; at++) {
      if (this.#marks[at] === mark && names[at] === name) return at
    }
    if (names.length === SCANNED_MAX) return this.#furtherNumberOf(name)
    this.#marks[names.length] = mark
    return names.push(name) - 1
  }

  #furtherNumberOf(name: string): number {
    const further = (this.#further ??= new Map<string, number>())
    const known = further.get(name)
    if (known !== undefined) return known
    const number = SCANNED_MAX + further.size
    further.set(name, number)
    return number
  }
}

/** Different for most names that differ. */
function markOf(name: string): number {
  let mark = name.length
  for (let at = Math.max(0, name.length - 3); at < name.length; at++) {
    mark = (Math.imul(mark, 31) + name.charCodeAt(at)) | 0
  }
  return mark
}
