import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { test } from "node:test"
import { KeySet } from "./key-set.ts"

const keyOf = (n: number): Uint8Array =>
  new Uint8Array(createHash("sha256").update(`key ${n}`).digest().subarray(0, 16))

test("a set of keys has those that were added and no others, however many there are", () => {
  const set = new KeySet()
  for (let n = 0; n < 5_000; n++) {
    assert.ok(!set.has(keyOf(n)))
    set.add(keyOf(n))
    set.add(keyOf(n))
  }
  assert.equal(set.size, 5_000)
  for (let n = 0; n < 5_000; n++) assert.ok(set.has(keyOf(n)))
  for (let n = 5_000; n < 10_000; n++) assert.ok(!set.has(keyOf(n)))
})

test("keys that begin alike are told apart, also in the last places", () => {
  const set = new KeySet()
  const alike = Array.from({ length: 600 }, (_, n) =>
    Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, n >> 8, n),
  )
  for (const key of alike.slice(0, 500)) set.add(key)
  assert.deepEqual(
    alike.map((key) => set.has(key)),
    alike.map((_, n) => n < 500),
  )
})

test("what is no key of an identity is never in a set", () => {
  const set = new KeySet()
  for (const bytes of [new Uint8Array(16), new Uint8Array(), keyOf(1).subarray(1)]) {
    set.add(bytes)
    assert.ok(!set.has(bytes))
  }
  assert.equal(set.size, 0)
})

test("what a set keeps below a number is there and nothing else, and it takes more", () => {
  const set = new KeySet()
  const keys = Array.from({ length: 3_000 }, (_, n) => keyOf(n))
  const firstOf = (key: Uint8Array): number => Buffer.from(key).readUInt32BE(0)
  for (const key of keys) set.add(key)
  set.keepBelow(2 ** 31 + 12_345)
  const kept = keys.filter((key) => firstOf(key) < 2 ** 31 + 12_345)
  assert.equal(set.size, kept.length)
  for (const key of keys) assert.equal(set.has(key), firstOf(key) < 2 ** 31 + 12_345)
  for (const key of keys) set.add(key)
  assert.equal(set.size, keys.length)
  set.keepBelow(0)
  assert.equal(set.size, 0)
})
