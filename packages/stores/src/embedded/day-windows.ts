import { type WindowName, WindowTable } from "./window-table.ts"

/** A power of two: the top bits of a name choose the table, the bottom bits the place in it. */
const TABLES = 256
const TABLE_SHIFT = 24

/**
 * The windows of one UTC day. Many small tables instead of a large one: a table is moved when it
 * grows, and the whole of a busy day would hold up everyone who waits for the counters.
 */
export class DayWindows {
  readonly #tables = Array.from({ length: TABLES }, () => new WindowTable())
  #size = 0

  /** How many entries there are. */
  get size(): number {
    return this.#size
  }

  /** When the member first signed up, or -1 if it is not in the window. */
  first(window: WindowName, member: number): number {
    const table = this.#tableOf(window)
    const at = table.find(window, member)
    return at < 0 ? -1 : table.firstOf(at)
  }

  /** Records another sign-up of a member. False if it is not in the window. */
  extend(window: WindowName, member: number, seconds: number): boolean {
    const table = this.#tableOf(window)
    const at = table.find(window, member)
    if (at >= 0) table.extend(at, seconds)
    return at >= 0
  }

  /** Puts a member into a window it is not in. */
  add(window: WindowName, member: number, first: number, last: number): void {
    this.#tableOf(window).add(window, member, first, last)
    this.#size++
  }

  /** Takes a member out of a window it is in. */
  remove(window: WindowName, member: number): void {
    const table = this.#tableOf(window)
    table.remove(table.find(window, member))
    this.#size--
  }

  members(window: WindowName): number {
    return this.count(window, 0, Infinity)
  }

  /** Members with a sign-up after `after`, up to and including `until`. */
  count(window: WindowName, after: number, until: number): number {
    return this.#tableOf(window).count(window, after, until)
  }

  /** The first sign-up of any member up to `until`; Infinity where there is none. */
  earliest(window: WindowName, until: number): number {
    return this.#tableOf(window).earliest(window, until)
  }

  /** Removes an entry that is older than nearly all others. False where there is none. */
  removeOldest(): boolean {
    let oldest: WindowTable | null = null
    let last = Infinity
    for (const table of this.#tables) {
      const at = table.oldest()
      if (at < 0 || table.lastOf(at) >= last) continue
      oldest = table
      last = table.lastOf(at)
    }
    if (oldest === null) return false
    oldest.remove(oldest.oldest())
    this.#size--
    return true
  }

  /** Removes what last happened before this time. */
  removeBefore(seconds: number): void {
    this.#size = 0
    for (const table of this.#tables) {
      table.removeBefore(seconds)
      this.#size += table.size
    }
  }

  #tableOf({ low }: WindowName): WindowTable {
    return this.#tables[low >>> TABLE_SHIFT] as WindowTable
  }
}
