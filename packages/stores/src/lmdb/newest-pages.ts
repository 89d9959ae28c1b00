import type { ReadAt } from "./checked-database.ts"
import { MappedFile } from "./mapped-file.ts"
import type { OwnRead } from "./own-reads.ts"

/**
 * Pages that were freed since the state that is held are not used again meanwhile. A state is let
 * go by the first look-up after a newer one was committed, and at the latest after this time.
 */
const HOLD_MS = 20

/**
 * The newest state of an environment for look-ups, read in LMDB's pages. To begin a transaction for
 * each look-up costs more than the look-up. Instead a state is held for a moment, and each look-up
 * asks the file, by two numbers in memory, whether it is still the newest.
 */
export class NewestPages {
  readonly #pin: OwnRead
  readonly #open: () => MappedFile | null
  /** undefined: not looked for yet; null: lmdb has to read. */
  #file: MappedFile | null | undefined
  #at: (ReadAt & { readonly pages: MappedFile }) | null = null
  #timer: NodeJS.Timeout | null = null

  /** `pin` keeps the pages of the state that it was begun in, and of all later ones. */
  constructor(pin: OwnRead, open: () => MappedFile | null) {
    this.#pin = pin
    this.#open = open
  }

  /** The newest committed state; null: it cannot be read in pages. */
  at(): (ReadAt & { readonly pages: MappedFile }) | null {
    const at = this.#at
    return at !== null && at.pages.newest() === at.pages.state ? at : this.#begin()
  }

  end(): void {
    if (this.#timer === null) return
    clearTimeout(this.#timer)
    this.#timer = null
    this.#at = null
    this.#pin.end()
  }

  #begin(): (ReadAt & { readonly pages: MappedFile }) | null {
    this.#file ??= this.#file === undefined ? this.#open() : null
    const file = this.#file
    if (file === null) return null
    this.#at = null
    this.#timer ??= setTimeout(() => {
      this.end()
    }, HOLD_MS).unref()
    this.#pin.pin()
    if (!file.begin()) {
      this.#file = null
      this.end()
      return null
    }
    return (this.#at = { ...this.#pin.at, pages: file })
  }
}
