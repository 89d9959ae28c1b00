import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { test } from "node:test"
import type { SegmentBlock } from "@assay/stores/segment-block"
import { countDecided, KEYS_MAX } from "./count-decided.ts"

const KEYS = Array.from({ length: 4_000 }, (_, n) =>
  createHash("sha256").update(`key ${n}`).digest().subarray(0, 16),
)
const keyOf = (n: number): Buffer => KEYS[n] as Buffer

/** A segment of these identities, each with a row or two, in blocks of a few rows. */
async function* segmentOf(
  numbers: readonly number[],
  onBlock: () => void = () => undefined,
): AsyncGenerator<SegmentBlock> {
  const rows = numbers
    .flatMap((n) => (n % 3 === 0 ? [keyOf(n), keyOf(n)] : [keyOf(n)]))
    .sort((a, b) => Buffer.compare(a, b))
  // As a reader of segments does: what was yielded is another block's memory afterwards.
  const keys = Buffer.alloc(7 * 16)
  for (let from = 0; from < rows.length; from += 7) {
    const some = rows.slice(from, from + 7)
    Buffer.concat(some).copy(keys)
    onBlock()
    yield { count: some.length, keys, heads: new Uint8Array(), extended: new Map() }
    keys.fill(0xff)
  }
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, n) => from + n)

/** Keys in pieces, each of them several times. */
function decidedOf(of: readonly number[]): { decided(): AsyncGenerator<Uint8Array>; read: number } {
  const self = {
    read: 0,
    async *decided(): AsyncGenerator<Uint8Array> {
      self.read++
      const keys = [...of, ...of.slice(0, 50)].map(keyOf)
      for (let from = 0; from < keys.length; from += 100)
        yield Buffer.concat(keys.slice(from, from + 100))
      yield new Uint8Array()
    },
  }
  return self
}

test("identities that are in a batch and were decided about are counted once each, however many fit", async () => {
  const batch = numbers(0, 2_000)
  const about = decidedOf(numbers(1_500, 4_000))
  for (const keysMax of [KEYS_MAX, 2_499, 700, 100]) {
    about.read = 0
    const { decided } = about
    assert.equal(await countDecided({ blocks: segmentOf(batch), decided, keysMax }), 500)
    // No pass more than the parts that hold less than half of what fits.
    assert.ok(about.read >= 2_500 / (keysMax + 1), `${keysMax}: ${about.read}`)
    assert.equal(about.read === 1, keysMax >= 2_500)
  }
})

test("those that are not in both are not counted", async () => {
  const count = async (batch: number[], about: number[]): Promise<number> => {
    const { decided } = decidedOf(about)
    return await countDecided({ blocks: segmentOf(batch), decided, keysMax: 50 })
  }
  assert.equal(await count(numbers(0, 300), numbers(300, 600)), 0)
  assert.equal(await count([], numbers(0, 100)), 0)
  assert.equal(await count(numbers(0, 100), numbers(0, 100)), 100)
  assert.equal(await count([5], numbers(0, 100)), 1)
  assert.equal(await count(numbers(0, 100), [7]), 1)
})

test("where nobody was decided about, a batch is not read", async () => {
  let blocks = 0
  const { decided } = decidedOf([])
  const batch = segmentOf(numbers(0, 100), () => void blocks++)
  assert.equal(await countDecided({ blocks: batch, decided, keysMax: 50 }), 0)
  assert.equal(blocks, 0)
})

test("a failure to read either is a failure to count, and the batch is let go", async () => {
  let closed = false
  async function* broken(): AsyncGenerator<SegmentBlock> {
    try {
      yield* segmentOf(numbers(0, 10))
      throw new Error("the disk")
    } finally {
      closed = true
    }
  }
  const { decided } = decidedOf(numbers(0, 10))
  await assert.rejects(countDecided({ blocks: broken(), decided, keysMax: 50 }), /the disk/)
  assert.ok(closed)
  // eslint-disable-next-line require-yield
  async function* unreadable(): AsyncGenerator<Uint8Array> {
    throw new Error("the store")
  }
  const blocks = segmentOf(numbers(0, 10))
  await assert.rejects(countDecided({ blocks, decided: unreadable, keysMax: 50 }), /the store/)
})
