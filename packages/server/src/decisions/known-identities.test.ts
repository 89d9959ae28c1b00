import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import { DAY_MS } from "@assay/runtime/time"
import type { FoldedDecision } from "./fold.ts"
import { knownIdentities } from "./known-identities.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-known-"))
after(() => rmSync(directory, { recursive: true }))

const at = Date.UTC(2026, 10, 15, 13)
function decided(identity: number, tenantId: number | null, atMs = at): FoldedDecision {
  return { tenantId, identityKey: new Uint8Array(16).fill(identity), identityType: "email", atMs }
}

test("the day a tenant first asked about an identity is found by that tenant's lookups alone, and stays", async () => {
  const index = await openLmdbIndex({ path: join(directory, "index") })
  const note = knownIdentities(index)
  await note([decided(1, 1), decided(2, 2), decided(3, null)])
  await note([decided(1, 1, at + 9 * DAY_MS)])
  // A new process knows of no batch it opened before.
  await knownIdentities(index)([decided(1, 1, at + 10 * DAY_MS), decided(4, 1, at + 10 * DAY_MS)])
  const days = async (identity: number, tenantId: number): Promise<number[]> => {
    const { entries } = await index.lookup(new Uint8Array(16).fill(identity), tenantId)
    return entries.map(({ hours }) => hours / 24)
  }
  const day = Math.floor(at / DAY_MS)
  assert.deepEqual(await days(1, 1), [day])
  assert.deepEqual(await days(4, 1), [day + 10])
  assert.deepEqual(await days(1, 2), [])
  assert.deepEqual(await days(2, 2), [day])
  assert.deepEqual(await days(3, 1), [])
  await index.close()
})

test("more identities than one transaction takes are all noted", async () => {
  const index = await openLmdbIndex({ path: join(directory, "many") })
  const key = (n: number): Uint8Array => {
    const bytes = new Uint8Array(16)
    new DataView(bytes.buffer).setUint32(0, n)
    return bytes
  }
  const many = Array.from({ length: 1_203 }, (_, n) => ({ ...decided(0, 7), identityKey: key(n) }))
  await knownIdentities(index)(many)
  assert.equal((await index.stats()).tenantIdentities, 1_203)
  await index.close()
})
