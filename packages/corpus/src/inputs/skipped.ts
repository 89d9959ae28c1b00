/** Why something in a folder or an archive was left out. Words for the person at the terminal. */
export const SKIP_REASONS = {
  hidden: "hidden files",
  link: "links",
  "not-a-file": "neither files nor folders",
  "other-part-of-a-log": "parts of a stealer log that hold no passwords",
  encrypted: "members that are encrypted",
  "unsafe-name": "members whose names point outside the archive",
  "unknown-method": "members packed by a method that cannot be read here",
  "foreign-archive": "archives to be unpacked first (rar, 7z, xz, bzip2, tar)",
  "too-deep": "archives inside archives inside archives",
  "too-large-to-nest": "archives of more than 256 MiB inside archives",
} as const
export type SkipReason = keyof typeof SKIP_REASONS

/** One thing that was left out. Its name is for the terminal and is never stored. */
export interface Skipped {
  readonly name: string
  readonly reason: SkipReason
}

/** How many are remembered by name; all are counted. */
const NAMED_MAX = 100

/** Counts what an import leaves out, for its final report. */
export class SkipTally {
  readonly #counts = new Map<SkipReason, number>()
  readonly #named: Skipped[] = []

  add(name: string, reason: SkipReason): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1)
    if (this.#named.length < NAMED_MAX) this.#named.push({ name, reason })
  }

  copy(): SkipTally {
    const copy = new SkipTally()
    for (const [reason, count] of this.#counts) copy.#counts.set(reason, count)
    copy.#named.push(...this.#named)
    return copy
  }

  get counts(): ReadonlyMap<SkipReason, number> {
    return this.#counts
  }

  get named(): readonly Skipped[] {
    return this.#named
  }
}
