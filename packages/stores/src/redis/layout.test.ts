import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { cellOf, firstOf } from "../cells.ts"
import { KEY_BYTES } from "../exposure-index.ts"
import { INDEX_BUCKET_BITS } from "../index-place.ts"
import { layoutOf } from "./layout.ts"

const anyKey = fc.uint8Array({ minLength: KEY_BYTES, maxLength: KEY_BYTES })
const anyBits = fc.integer(INDEX_BUCKET_BITS)

test("layout: the first bits of a key name its bucket, which is its cell", () => {
  fc.assert(
    fc.property(anyKey, anyBits, (key, bits) => {
      const { bucketOf, buckets } = layoutOf("x", bits)
      const first = Buffer.from(key).readUInt32BE()
      assert.equal(bucketOf(key), first >>> (32 - bits))
      assert.equal(bucketOf(key), cellOf(firstOf(key), buckets))
    }),
    { seed: 1, numRuns: 2_000 },
  )
})

test("layout: bucket and field together say the whole key, so that no two keys share both", () => {
  fc.assert(
    fc.property(anyKey, fc.nat(KEY_BYTES * 8 - 1), anyBits, (key, bit, bits) => {
      const layout = layoutOf("x", bits)
      const another = Uint8Array.from(key)
      const at = bit >>> 3
      another[at] = (another[at] as number) ^ (1 << (bit & 7))
      const place = (one: Uint8Array): string =>
        `${layout.bucketKey(layout.bucketOf(one))} ${layout.sharedField(one).toString("hex")}`
      assert.equal(place(key), place(Uint8Array.from(key)))
      assert.notEqual(place(key), place(another))
    }),
    { seed: 2, numRuns: 2_000 },
  )
})
