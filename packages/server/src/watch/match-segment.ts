import type { Entry } from "@assay/stores/exposure-index"
import { entryOfRow, HEAD_BYTES, type SegmentBlock } from "@assay/stores/segment-block"

const KEY_BYTES = 16

/** An identity that is watched and that a batch names. */
export interface MatchedIdentity {
  readonly key: Uint8Array
  readonly entries: readonly Entry[]
}

export interface Matching {
  /** The rows of a batch, ascending by key. */
  readonly blocks: AsyncIterable<SegmentBlock>
  readonly batchId: number
  /** Watched keys after one, ascending, one after the other; none: there are no more. */
  watched(after: Uint8Array | null): Promise<Uint8Array>
  /** Only identities after this one; null: all. */
  readonly after: Uint8Array | null
  /** Identities that are handed over together. */
  readonly atOnce: number
}

/**
 * The watched identities of a batch, in the order of keys. Both lists are sorted, so that each is
 * gone through once and side by side, with a page of either in memory: what a batch costs does not
 * depend on how many are watched beyond reading their keys once, and nobody is looked up.
 */
export async function* matchSegment(matching: Matching): AsyncGenerator<MatchedIdentity[]> {
  const { blocks, batchId, atOnce } = matching
  const wanted = new WatchedKeys(matching.watched, matching.after)
  if (!(await wanted.fill())) return
  let matched: MatchedIdentity[] = []
  let key: Uint8Array | null = null
  let entries: Entry[] = []
  const close = (): void => {
    if (key !== null) matched.push({ key, entries })
    key = null
    entries = []
  }
  for await (const block of blocks) {
    for (let row = 0; row < block.count; row++) {
      const at = row * KEY_BYTES
      // The rows of an identity stand together, and may go on in the next block.
      if (key !== null && order(block.keys, at, key, 0) !== 0) {
        close()
        if (matched.length >= atOnce) {
          yield matched
          matched = []
        }
      }
      let compared = order(block.keys, at, wanted.page, wanted.at)
      while (compared > 0) {
        if (!wanted.next() && !(await wanted.fill())) {
          close()
          if (matched.length > 0) yield matched
          return
        }
        compared = order(block.keys, at, wanted.page, wanted.at)
      }
      if (compared < 0) continue
      // Copied: a block is another one's after the next was asked for.
      key ??= Uint8Array.from(block.keys.subarray(at, at + KEY_BYTES))
      const head = block.heads.subarray(row * HEAD_BYTES, (row + 1) * HEAD_BYTES)
      entries.push(entryOfRow(head, block.extended.get(row), batchId))
    }
  }
  close()
  if (matched.length > 0) yield matched
}

/** A page of watched keys, and the place in it. */
class WatchedKeys {
  page: Uint8Array = new Uint8Array()
  at = 0
  readonly #read: Matching["watched"]
  #last: Uint8Array | null

  constructor(read: Matching["watched"], after: Uint8Array | null) {
    this.#read = read
    this.#last = after
  }

  /** The next key of the page; false at its end. */
  next(): boolean {
    if (this.at + KEY_BYTES >= this.page.length) return false
    this.at += KEY_BYTES
    return true
  }

  /** The next page; false where there is none. */
  async fill(): Promise<boolean> {
    this.page = await this.#read(this.#last)
    this.at = 0
    if (this.page.length === 0) return false
    this.#last = this.page.slice(this.page.length - KEY_BYTES)
    return true
  }
}

/** Keys differ in their first bytes nearly always, so that a loop is faster than a call. */
function order(a: Uint8Array, atA: number, b: Uint8Array, atB: number): number {
  for (let i = 0; i < KEY_BYTES; i++) {
    const difference = (a[atA + i] as number) - (b[atB + i] as number)
    if (difference !== 0) return difference
  }
  return 0
}
