import assert from "node:assert/strict"

import type { Policy } from "../src/records-policies.ts"
import { newKey, refusedAs, testsOnRecords, type TestDatabase } from "./records-suite.ts"

const at = Date.UTC(2026, 2, 1)
const acme = { name: "Acme", plan: "free", at, actor: "cli:ada" }

/** What the records keep of settings that were replaced. */
export function recordsPoliciesSuite(
  engine: string,
  newDatabase: () => Promise<TestDatabase>,
): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  onRecords("every change of settings is a version of its tenant", async ({ records }) => {
    const { id: tenantId } = await records.createTenant(acme)
    const { id: other } = await records.createTenant({ ...acme, name: "Other" })
    const first: Policy = {
      tenantId,
      version: 1,
      at,
      actor: "cli:ada",
      settings: {},
      revertedTo: null,
    }
    assert.deepEqual(await records.policies({ tenantId, limit: 9 }), [first])

    const strict = { prior_abuse: 0.1, domains: ["bücher.example"] }
    const second = { ...first, version: 2, at: at + 1, actor: "cli:bob", settings: strict }
    const change = { tenantId, settings: strict, at: at + 1, actor: "cli:bob" }
    assert.deepEqual(await records.setTenantSettings(change), second)
    const third = { ...first, version: 3, at: at + 2, revertedTo: 1 }
    const reverting = { tenantId, settings: {}, at: at + 2, actor: "cli:ada", revertedTo: 1 }
    assert.deepEqual(await records.setTenantSettings(reverting), third)

    assert.deepEqual(await records.policies({ tenantId, limit: 9 }), [third, second, first])
    assert.deepEqual(await records.policies({ tenantId, limit: 1, before: 3 }), [second])
    assert.deepEqual(await records.policy({ tenantId, version: 2 }), second)
    assert.equal(await records.policy({ tenantId, version: 4 }), null)
    assert.equal(await records.policy({ tenantId: other, version: 2 }), null)
    const [entry] = await records.audit({ limit: 1 })
    assert.deepEqual(entry?.detail, { version: 3, revertedTo: 1, settings: {} })
    const unknown = { ...change, tenantId: other + 1 }
    await assert.rejects(records.setTenantSettings(unknown), refusedAs("not-found"))
  })

  onRecords("a change that expects another version changes nothing", async ({ open, records }) => {
    const { id: tenantId } = await records.createTenant(acme)
    const change = { tenantId, at, actor: "cli:ada", expected: 1 }
    const writers = [records, await open(), await open()]
    const results = await Promise.allSettled(
      writers.map((writer, n) => writer.setTenantSettings({ ...change, settings: { n } })),
    )
    const won = results.filter(({ status }) => status === "fulfilled")
    assert.equal(won.length, 1)
    for (const result of results)
      if (result.status === "rejected") refusedAs("version-changed")(result.reason)
    const version = await records.accountsVersion()
    const late = records.setTenantSettings({ ...change, settings: {} })
    await assert.rejects(late, refusedAs("version-changed"))
    assert.equal(await records.accountsVersion(), version)
    const kept = await records.policies({ tenantId, limit: 9 })
    assert.deepEqual(
      kept.map((each) => each.version),
      [2, 1],
    )
    assert.deepEqual((await records.tenantByName("Acme"))?.settings, kept[0]?.settings)
  })

  onRecords("changes at once are versions one after the other", async ({ open, records }) => {
    const { id: tenantId } = await records.createTenant(acme)
    const writers = [records, await open(), await open()]
    await Promise.all(
      writers.flatMap((writer) =>
        [1, 2, 3, 4].map((n) =>
          writer.setTenantSettings({ tenantId, settings: { n }, at, actor: "test" }),
        ),
      ),
    )
    const kept = await records.policies({ tenantId, limit: 99 })
    assert.deepEqual(
      kept.map(({ version }) => version),
      Array.from({ length: 13 }, (_, n) => 13 - n),
    )
    // What acts is the newest version, whoever was last.
    assert.deepEqual((await records.tenantByName("Acme"))?.settings, kept[0]?.settings)
  })

  onRecords("a version that cannot be kept changes nothing", async ({ execute, records }) => {
    const { id: tenantId } = await records.createTenant(acme)
    await records.createKey(newKey("k1", { tenantId }))
    const version = await records.accountsVersion()
    await execute("drop table policies")
    const change = { tenantId, settings: { verified: true }, at, actor: "test" }
    await assert.rejects(records.setTenantSettings(change))
    assert.deepEqual((await records.tenantByName("Acme"))?.settings, {})
    assert.equal(await records.accountsVersion(), version)
  })
}
