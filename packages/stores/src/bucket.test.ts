import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { checkOf, DAMAGED, findInBucket, FOUND, hasWholeHead, place, UNKNOWN } from "./bucket.ts"
import { BucketBuilder } from "./bucket-builder.ts"
import { BucketReader } from "./bucket-reader.ts"
import { cellOf, CELLS_MAX, cellStart, FIRSTS, firstOf } from "./cells.ts"

interface Identity {
  readonly key: Buffer
  readonly set: Buffer
}

/** Keys of few different beginnings, so that some share one and many share a cell. */
const anyKey = fc
  .tuple(fc.nat(9), fc.uint8Array({ minLength: 12, maxLength: 12 }))
  .map(([beginning, rest]) => {
    const key = Buffer.alloc(16)
    key.writeUInt32BE(Math.floor((beginning / 10) * FIRSTS) + (beginning % 3))
    key.set(rest, 4)
    return key
  })
/** Some of lengths about where a length stands among the long ones. */
const anySet = fc
  .oneof(
    { weight: 6, arbitrary: fc.nat(40) },
    { weight: 1, arbitrary: fc.integer({ min: 250, max: 260 }) },
    { weight: 1, arbitrary: fc.integer({ min: 65_530, max: 65_540 }) },
  )
  .chain((length) => fc.nat(255).map((byte) => Buffer.alloc(length, byte)))
const anyIdentities = fc
  .uniqueArray(fc.record({ key: anyKey, set: anySet }), {
    maxLength: 30,
    selector: ({ key }) => key.toString("hex"),
  })
  .map((identities) => identities.sort((a, b) => Buffer.compare(a.key, b.key)))

function cellsOf(identities: readonly Identity[], cells: number): Map<number, Identity[]> {
  const byCell = new Map<number, Identity[]>()
  for (const identity of identities) {
    const cell = cellOf(firstOf(identity.key), cells)
    byCell.set(cell, [...(byCell.get(cell) ?? []), identity])
  }
  return byCell
}

function spelled(identities: readonly Identity[], cell: number, cells: number): Buffer {
  const builder = new BucketBuilder()
  builder.begin(cell, cells)
  for (const { key, set } of identities) builder.add(firstOf(key), key, 4, set, 0, set.length)
  return own(builder.spelled(cell, cells))
}

/** In memory of its own, as lmdb lends it. */
function own(bytes: Uint8Array): Buffer {
  return Buffer.from(Uint8Array.from(bytes).buffer)
}

function found(bytes: Uint8Array, key: Uint8Array, cell: number, cells: number): Buffer | null {
  const search = findInBucket(bytes, bytes.length, key, cell, cells)
  assert.notEqual(search, DAMAGED)
  return search === FOUND ? Buffer.from(bytes.subarray(place.from, place.to)) : null
}

test("cells: every key is in the one cell between whose borders it is, however many there are", () => {
  const anyFirst = fc.oneof(fc.nat(0xffff_ffff), fc.constantFrom(0, 1, FIRSTS - 1))
  const anyCells = fc.oneof(fc.integer({ min: 1, max: CELLS_MAX }), fc.constantFrom(1, CELLS_MAX))
  fc.assert(
    fc.property(anyFirst, anyCells, (first, cells) => {
      const cell = cellOf(first, cells)
      assert.equal(cell, Number((BigInt(first) * BigInt(cells)) >> 32n))
      assert.ok(cellStart(cell, cells) <= first && first < cellStart(cell + 1, cells))
      const start = cellStart(cell, cells)
      assert.equal(cellOf(start, cells), cell)
      if (start > 0) assert.equal(cellOf(start - 1, cells), cell - 1)
      assert.deepEqual([cellStart(0, cells), cellStart(cells, cells)], [0, FIRSTS])
    }),
    { seed: 1, numRuns: 2_000 },
  )
})

test("bucket: what was put in is found, walked through in order and spelled again, and nobody else is known", () => {
  fc.assert(
    fc.property(
      anyIdentities,
      fc.constantFrom(1, 3, 300, 70_000, 20_000_000),
      anyKey,
      (identities, cells, stranger) => {
        for (const [cell, members] of cellsOf(identities, cells)) {
          const bytes = spelled(members, cell, cells)
          assert.ok(hasWholeHead(bytes, bytes.length, cell, cells))
          assert.ok(!hasWholeHead(bytes, bytes.length, cell + 1, cells))
          assert.ok(!hasWholeHead(bytes, bytes.length, cell, cells + 1))
          for (const { key, set } of members) {
            assert.deepEqual(found(bytes, key, cell, cells), set)
          }
          if (
            cellOf(firstOf(stranger), cells) === cell &&
            !members.some(({ key }) => key.equals(stranger))
          ) {
            assert.equal(found(bytes, stranger, cell, cells), null)
          }
          const reader = new BucketReader()
          assert.ok(reader.read(bytes, bytes.length, cell, cells))
          for (const { key, set } of members) {
            assert.deepEqual(reader.key(), key)
            assert.deepEqual(Buffer.from(bytes.subarray(reader.setFrom, reader.setTo)), set)
            assert.ok(reader.isIntact)
            reader.next()
          }
          assert.equal(reader.i, reader.count)
        }
      },
    ),
    { seed: 2, numRuns: 300 },
  )
})

test("bucket: runs copied from other cells make the bytes that the identities one by one make", () => {
  fc.assert(
    fc.property(
      anyIdentities,
      fc.constantFrom(1, 2, 7),
      fc.constantFrom(1, 3, 5),
      (all, from, to) => {
        const olds = [...cellsOf(all, from)].map(([cell, members]) => {
          const reader = new BucketReader()
          const bytes = spelled(members, cell, from)
          assert.ok(reader.read(bytes, bytes.length, cell, from))
          return reader
        })
        const builder = new BucketBuilder()
        for (let cell = 0; cell < to; cell++) {
          builder.begin(cell, to)
          for (const reader of olds) {
            if (reader.i < reader.count && reader.first < cellStart(cell + 1, to)) {
              builder.addOne(reader)
            }
            builder.addBelow(reader, cellStart(cell + 1, to))
          }
          const members = cellsOf(all, to).get(cell) ?? []
          assert.deepEqual(own(builder.spelled(cell, to)), spelled(members, cell, to))
        }
      },
    ),
    { seed: 3, numRuns: 300 },
  )
})

/** Identities of one cell, with one long set and two keys that begin alike. */
function members(): Identity[] {
  const seed = (n: number): Buffer => {
    const key = Buffer.alloc(16, n)
    key.writeUInt32BE(n === 4 ? 3 * 0x0100_0000 : n * 0x0100_0000)
    return key
  }
  return Array.from({ length: 12 }, (_, n) => ({
    key: seed(n),
    set: Buffer.alloc(n === 5 ? 300 : 10 + n, 17 * n),
  }))
}

test("bucket: no flipped bit makes anybody unknown or another, and outside of the head it refuses one alone", () => {
  const all = members()
  const whole = spelled(all, 0, 10)
  const strangers = Array.from({ length: 6 }, (_, n) => {
    const key = Buffer.alloc(16, 0x77)
    key.writeUInt32BE(n < 3 ? n * 0x0100_0000 : 0x0055_5500 + n)
    return key
  })
  const reader = new BucketReader()
  reader.read(whole, whole.length, 0, 10)
  const headEnd = reader.itemAt
  for (let bit = 0; bit < 8 * whole.length; bit++) {
    const bytes = own(whole)
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7))
    const isHead = bit >> 3 < headEnd
    assert.equal(hasWholeHead(bytes, bytes.length, 0, 10), !isHead, `bit ${bit}`)
    if (isHead) continue
    let refused = 0
    for (const { key, set } of all) {
      const search = findInBucket(bytes, bytes.length, key, 0, 10)
      assert.notEqual(search, UNKNOWN)
      if (search === DAMAGED) refused++
      else assert.deepEqual(Buffer.from(bytes.subarray(place.from, place.to)), set)
    }
    assert.equal(refused, 1, `bit ${bit}`)
    for (const [n, key] of strangers.entries()) {
      const search = findInBucket(bytes, bytes.length, key, 0, 10)
      assert.notEqual(search, FOUND)
      if (n >= 3) assert.equal(search, UNKNOWN)
    }
    // A copy has the same fault, wherever it is.
    const damaged = new BucketReader()
    assert.ok(damaged.read(bytes, bytes.length, 0, 10))
    const builder = new BucketBuilder()
    builder.begin(0, 7)
    builder.addBelow(damaged, Infinity)
    const copied = own(builder.spelled(0, 7))
    assert.ok(hasWholeHead(copied, copied.length, 0, 7))
    for (const { key } of all) {
      assert.equal(
        findInBucket(copied, copied.length, key, 0, 7),
        findInBucket(bytes, bytes.length, key, 0, 10),
      )
    }
  }
})

test("bucket: one that was cut has no whole head, or refuses those whose bytes are gone", () => {
  const all = members()
  const whole = spelled(all, 0, 10)
  for (let length = 0; length < whole.length; length++) {
    // What lies behind it in lmdb's buffer may be what belongs there.
    if (!hasWholeHead(whole, length, 0, 10)) continue
    assert.ok(!new BucketReader().read(whole, length, 0, 10))
    const refused = all.filter(({ key }) => findInBucket(whole, length, key, 0, 10) === DAMAGED)
    assert.ok(refused.length > 0)
    assert.ok(all.every(({ key }) => findInBucket(whole, length, key, 0, 10) !== UNKNOWN))
  }
  assert.ok(!hasWholeHead(whole, 20, 0, 10))
})

test("bucket: where others of the cell were lost, whoever is not found is refused, and copies say so too", () => {
  const builder = new BucketBuilder()
  builder.begin(0, 10)
  builder.isLost = true
  const [one, another] = members() as [Identity, Identity]
  builder.add(firstOf(one.key), one.key, 4, one.set, 0, one.set.length)
  const bytes = own(builder.spelled(0, 10))
  assert.deepEqual(found(bytes, one.key, 0, 10), one.set)
  assert.equal(findInBucket(bytes, bytes.length, another.key, 0, 10), DAMAGED)
  const reader = new BucketReader()
  reader.read(bytes, bytes.length, 0, 10)
  assert.ok(reader.isLost)
  builder.begin(0, 10)
  assert.ok(!builder.isLost)
})

test("an own checksum is CRC-16 of key and set, byte by byte", () => {
  const ofAll = (bytes: Uint8Array): number => {
    let bits = 0xffff
    for (const byte of bytes) {
      bits ^= byte << 8
      for (let i = 0; i < 8; i++) bits = ((bits << 1) ^ (bits & 0x8000 ? 0x1021 : 0)) & 0xffff
    }
    return bits
  }
  assert.equal(ofAll(Buffer.from("123456789")), 0x29b1)
  for (let length = 0; length < 60; length++) {
    const bytes = Buffer.from(
      Array.from({ length: 16 + length }, (_, n) => (n * n * 37 + length * 11) & 0xff),
    )
    const check = checkOf(bytes.readUInt32BE(0), bytes, 4, bytes, 16, bytes.length)
    assert.equal(check, ofAll(bytes))
  }
})

test("a bucket is read wherever it begins in longer bytes", () => {
  const builder = new BucketBuilder()
  const all = [3, 5, 7].map((first) => Buffer.alloc(16, first))
  const first = (key: Buffer): number => key.readUInt32BE(0)
  builder.begin(0, 1)
  for (const key of all) builder.add(first(key), key, 4, key, 0, 10)
  const bucket = Uint8Array.from(builder.spelled(0, 1))
  for (let base = 0; base < 9; base++) {
    const bytes = Buffer.concat([Buffer.alloc(base, 0xff), bucket, Buffer.alloc(9, 0xff)])
    assert.ok(hasWholeHead(bytes, bucket.length, 0, 1, base))
    assert.ok(!hasWholeHead(bytes, bucket.length, 0, 1, base + 1))
    for (const key of all) {
      assert.equal(findInBucket(bytes, bucket.length, key, 0, 1, base), FOUND)
      assert.deepEqual(bytes.subarray(place.from, place.to), key.subarray(0, 10))
      // Cut short by a byte, the last one has no whole set.
      const isLast = key === all.at(-1)
      const cut = findInBucket(bytes, bucket.length - 1, key, 0, 1, base)
      assert.equal(cut, isLast ? DAMAGED : FOUND)
    }
    assert.equal(findInBucket(bytes, bucket.length, Buffer.alloc(16, 4), 0, 1, base), UNKNOWN)
  }
})
