import assert from "node:assert/strict"

import { hashOf, newKey, refusedAs, testsOnRecords, type TestDatabase } from "./records-suite.ts"

const at = Date.UTC(2026, 2, 1)
const actor = "cli:ada"
const acme = { name: "Acme", plan: "free", at, actor }

/** What the records keep of policies that are computed beside those that act. */
export function recordsShadowsSuite(
  engine: string,
  newDatabase: () => Promise<TestDatabase>,
): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  onRecords("a shadow is a version of its tenant, and so is its end", async ({ records }) => {
    const { id: tenantId } = await records.createTenant(acme)
    const { id: other } = await records.createTenant({ ...acme, name: "Other" })
    await records.createKey(newKey("k1", { tenantId }))
    await records.createKey(newKey("k2", { tenantId: other }))
    await records.createKey(newKey("k3", { tenantId: null }))
    const held = async (key: string) => (await records.keyByHash(hashOf(key)))?.shadow
    assert.equal(await records.shadow({ tenantId }), null)
    assert.equal(await held("k1"), null)

    const version = await records.accountsVersion()
    const strict = { costs: { loss: 90 } }
    const first = await records.setShadow({ tenantId, settings: strict, at, actor })
    assert.deepEqual(first, { tenantId, version: 1, at, actor, settings: strict })
    assert.ok((await records.accountsVersion()) > version)
    const second = await records.setShadow({ tenantId, settings: {}, at: at + 1, actor })
    assert.deepEqual(await records.shadow({ tenantId }), second)
    assert.deepEqual(await records.shadow({ tenantId, version: 1 }), first)
    assert.equal(await records.shadow({ tenantId: other }), null)
    assert.equal(await records.shadow({ tenantId, version: 3 }), null)
    assert.deepEqual(await held("k1"), { version: 2, settings: {} })
    assert.deepEqual([await held("k2"), await held("k3")], [null, null])
    // The policy that acts is another matter.
    assert.deepEqual((await records.tenantByName("Acme"))?.settings, {})

    const ended = await records.setShadow({ tenantId, settings: null, at: at + 2, actor })
    assert.deepEqual(ended, { tenantId, version: 3, at: at + 2, actor, settings: null })
    assert.equal(await held("k1"), null)
    const [entry] = await records.audit({ limit: 1 })
    assert.equal(entry?.action, "tenant.end-shadow")
    assert.equal(await records.setShadow({ tenantId, settings: null, at, actor }), null)
    assert.deepEqual(await records.audit({ limit: 1 }), [entry])
    const again = await records.setShadow({ tenantId, settings: strict, at: at + 3, actor })
    assert.equal(again?.version, 4)
    const [set] = await records.audit({ limit: 1 })
    assert.deepEqual([set?.action, set?.subject], ["tenant.set-shadow", `tenant:${tenantId}`])
    assert.deepEqual(set?.detail, { version: 4, settings: strict })
    const unknown = { tenantId: other + 1, settings: {}, at, actor }
    await assert.rejects(records.setShadow(unknown), refusedAs("not-found"))
  })

  onRecords("shadows set at once are versions one after the other", async ({ open, records }) => {
    const { id: tenantId } = await records.createTenant(acme)
    const writers = [records, await open(), await open()]
    const set = await Promise.all(
      writers.flatMap((writer) =>
        [1, 2, 3].map((n) => writer.setShadow({ tenantId, settings: { n }, at, actor })),
      ),
    )
    const versions = set.map((shadow) => shadow?.version ?? 0).toSorted((a, b) => a - b)
    assert.deepEqual(versions, [1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert.equal((await records.shadow({ tenantId }))?.version, 9)
  })
}
