import assert from "node:assert/strict"
import { test } from "node:test"
import { keyOf } from "./exposure-index-process-suite.ts"
import { type ExposureIndex, IndexDamaged } from "../src/exposure-index.ts"
import { importedBatch, type OpenNew, ownBatch, row } from "./opened-index-suite.ts"

/** Replaces the stored bytes of an identity by the result of `change`. */
export type AlterStored = (
  directory: string,
  owner: "shared" | number,
  key: Uint8Array,
  change: (stored: Buffer) => Buffer,
) => Promise<void>

const [alice, bob, carol] = [keyOf(-1), keyOf(-2), keyOf(-3)]
const TENANT = 7

/** The rules for a value that is not what was written. */
export function damageSuite(engine: string, opened: OpenNew, alter: AlterStored): void {
  const unavailable = async (index: ExposureIndex, key: Uint8Array): Promise<void> => {
    await assert.rejects(index.lookup(key, TENANT), IndexDamaged)
    await assert.rejects(index.holdings(key), IndexDamaged)
  }

  test(`${engine}: a damaged value is unavailable, never empty, whichever bit it is`, async (t) => {
    const { index, directory } = await opened(t)
    await importedBatch(index, "file", [alice, bob])
    const own = await ownBatch(index, "own", TENANT)
    await index.replaceTenantEvidence(TENANT, own, [row(carol, own)])
    for (const [owner, key] of [
      ["shared", alice],
      [TENANT, carol],
    ] as const) {
      let bytes = 1
      for (let bit = 0; bit < 8 * bytes; bit++) {
        const flip = (stored: Buffer): Buffer => {
          bytes = stored.length
          const flipped = Buffer.from(stored)
          flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))
          return flipped
        }
        await alter(directory, owner, key, flip)
        await assert.rejects(index.lookup(key, TENANT), IndexDamaged, `bit ${bit}`)
        await alter(directory, owner, key, flip)
      }
      assert.ok(bytes > 8)
      assert.equal((await index.lookup(key, TENANT)).entries.length, 1)
    }
  })

  test(`${engine}: a value cut, emptied or of somebody else is unavailable, and the others are answered`, async (t) => {
    const { index, directory } = await opened(t)
    await importedBatch(index, "file", [alice, bob])
    let bobs = Buffer.alloc(0)
    await alter(directory, "shared", bob, (stored) => (bobs = Buffer.from(stored)))
    for (const damage of [
      (stored: Buffer) => stored.subarray(0, stored.length - 1),
      (stored: Buffer) => stored.subarray(0, 1),
      (stored: Buffer) => Buffer.alloc(stored.length),
      () => bobs,
    ]) {
      let whole = Buffer.alloc(0)
      await alter(directory, "shared", alice, (stored) => damage((whole = Buffer.from(stored))))
      await unavailable(index, alice)
      assert.equal((await index.lookup(bob, null)).entries.length, 1)
      assert.ok((await index.sample(1_000)).faults > 0)
      await alter(directory, "shared", alice, () => whole)
    }
    assert.equal((await index.sample(1_000)).faults, 0)
  })

  test(`${engine}: a damaged value takes no evidence, and its subject can be erased`, async (t) => {
    const { index, directory } = await opened(t)
    await importedBatch(index, "file", [alice, bob])
    await alter(directory, "shared", alice, (stored) => Buffer.alloc(stored.length, 0x5a))
    const { id } = await index.openBatch({ ...(await sourceOf(index)), name: "more" }, "more", 3)
    await assert.rejects(index.merge(id, [row(alice, id)]), IndexDamaged)
    await unavailable(index, alice)
    await index.erase(alice)
    assert.deepEqual((await index.lookup(alice, TENANT)).entries, [])
    assert.equal((await index.lookup(alice, TENANT)).erased, true)
  })
}

async function sourceOf(index: ExposureIndex): Promise<Parameters<ExposureIndex["openBatch"]>[0]> {
  const [source] = (await index.catalogue()).sources.values()
  assert.ok(source !== undefined)
  return source
}
