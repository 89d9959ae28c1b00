import type { Zip } from "./zip.ts"

/**
 * Keeps the archive that was read last at each level, since its members are asked for one after the
 * other: an archive inside another would be unpacked for each of them. One a level, because each
 * may fill its bound of memory.
 */
export class OpenZips {
  readonly #byLevel = new Map<number, { readonly owner: object; readonly zip: Zip }>()

  /** The archive of this owner, opened anew where another was read since. */
  async get(level: number, owner: object, open: () => Promise<Zip>): Promise<Zip> {
    const held = this.#byLevel.get(level)
    if (held?.owner === owner) return held.zip
    // Let go first: two archives at their bound are twice the memory.
    this.#byLevel.delete(level)
    held?.zip.close()
    const zip = await open()
    this.#byLevel.get(level)?.zip.close()
    this.#byLevel.set(level, { owner, zip })
    return zip
  }

  close(): void {
    for (const { zip } of this.#byLevel.values()) zip.close()
    this.#byLevel.clear()
  }
}
