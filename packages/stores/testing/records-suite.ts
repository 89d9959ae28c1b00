import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { test } from "node:test"
import fc from "fast-check"

import type { RecordsUse } from "../src/database.ts"
import { RecordsError, type NewKey, type Records, type RecordsFault } from "../src/records.ts"

/** An empty database that tests may open several times. */
export interface TestDatabase {
  open: (use?: Pick<RecordsUse, "onEvents">) => Promise<Records>
  /** Runs a statement behind the port's back. */
  execute: (statement: string) => Promise<void>
  /** The test has passed and closed all it opened: another test may have the database, emptied. */
  over?: () => void
}

const at = Date.UTC(2026, 2, 1, 12, 0, 0, 123)
const actor = "cli:ada"
const acme = { name: "Acme", plan: "free", at, actor }

/** SHA-256 of the name, so that each name gives one key. */
export const hashOf = (name: string): Uint8Array =>
  new Uint8Array(createHash("sha256").update(name).digest())

export function newKey(id: string, changes: Partial<NewKey> = {}): NewKey {
  const defaults = { tenantId: null, hint: "ask_live_…wxyz", label: "", scopes: ["score"] }
  return { id, hash: hashOf(id), expiresAt: null, at, actor, ...defaults, ...changes }
}

export const refusedAs = (code: RecordsFault) => (error: unknown) => {
  assert.ok(error instanceof RecordsError, String(error))
  assert.equal(error.code, code, String(error.cause))
  return true
}

export type Openings = TestDatabase & { records: Records }

/**
 * Makes tests that each have a database of their own, migrated and open; all its openings are
 * closed at the end.
 */
export function testsOnRecords(
  engine: string,
  newDatabase: () => Promise<TestDatabase>,
): (name: string, body: (openings: Openings) => Promise<void>) => void {
  return (name, body) => {
    test(`${engine}: ${name}`, async () => {
      const database = await newDatabase()
      const opened: Records[] = []
      const open: Openings["open"] = async (use) => {
        const records = await database.open(use)
        opened.push(records)
        return records
      }
      try {
        const records = await open()
        await records.migrate()
        await body({ open, execute: database.execute, records })
      } finally {
        await Promise.all(opened.map((records) => records.close()))
      }
      database.over?.()
    })
  }
}

/**
 * What this suite does not state, no caller may rely on. Where a new database has the tables
 * already, an empty one is for the tests that are about making them.
 */
export function recordsSuite(
  engine: string,
  newDatabase: () => Promise<TestDatabase>,
  emptyDatabase = newDatabase,
): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  onRecords("a tenant is found by name and starts with no settings", async ({ records }) => {
    const made = await records.createTenant(acme)
    assert.deepEqual(made, { id: made.id, name: "Acme", plan: "free", createdAt: at, settings: {} })
    assert.deepEqual(await records.tenantByName("Acme"), made)
    assert.equal(await records.tenantByName("acme"), null)
    const other = await records.createTenant({ ...acme, name: "acme" })
    assert.notEqual(other.id, made.id)
    assert.deepEqual(await records.tenants(), [made, other])
  })

  onRecords("a tenant's name is given once", async ({ records }) => {
    const made = await records.createTenant(acme)
    await assert.rejects(
      records.createTenant({ ...acme, plan: "enterprise" }),
      refusedAs("name-taken"),
    )
    assert.deepEqual(await records.tenants(), [made])
  })

  onRecords("a plan is set on the tenant named and on no other", async ({ records }) => {
    const { id } = await records.createTenant(acme)
    const other = await records.createTenant({ ...acme, name: "Other" })
    const changed = await records.setPlan({ tenantId: id, plan: "enterprise", at, actor })
    assert.equal(changed.plan, "enterprise")
    assert.deepEqual(await records.tenants(), [changed, other])
    const unknown = { tenantId: other.id + 1, plan: "free", at, actor }
    await assert.rejects(records.setPlan(unknown), refusedAs("not-found"))
  })

  onRecords("settings replace those of the tenant named and of no other", async ({ records }) => {
    const made = await records.createTenant(acme)
    const other = await records.createTenant({ ...acme, name: "Other" })
    const tenantId = made.id
    await records.createKey(newKey("k1", { tenantId }))
    const version = await records.accountsVersion()
    const first = { models: { email: "1.1" }, prior_abuse: 0.1, verified: true }
    await records.setTenantSettings({ tenantId, settings: first, at, actor })
    const changed = { ...made, settings: first }
    assert.deepEqual(await records.tenants(), [changed, other])
    assert.deepEqual((await records.keyByHash(hashOf("k1")))?.tenant, changed)
    assert.equal(await records.accountsVersion(), version + 1)
    const [entry] = await records.audit({ limit: 1 })
    assert.equal(entry?.action, "tenant.set-settings")
    assert.equal(entry.subject, `tenant:${tenantId}`)
    assert.deepEqual(entry.detail, { version: 2, settings: first })

    const second = { verified: false }
    await records.setTenantSettings({ tenantId, settings: second, at, actor })
    assert.deepEqual((await records.tenantByName("Acme"))?.settings, second)
    const unknown = { tenantId: other.id + 1, settings: {}, at, actor }
    await assert.rejects(records.setTenantSettings(unknown), refusedAs("not-found"))
    assert.equal(await records.accountsVersion(), version + 2)
  })

  onRecords("a key is found by its hash, with its tenant", async ({ records }) => {
    const tenant = await records.createTenant(acme)
    const scopes = ["score", "usage:read"]
    const key = await records.createKey(
      newKey("k1", { tenantId: tenant.id, label: "till", scopes, expiresAt: at + 1 }),
    )
    assert.deepEqual(key, {
      id: "k1",
      tenantId: tenant.id,
      hint: "ask_live_…wxyz",
      label: "till",
      scopes,
      createdAt: at,
      expiresAt: at + 1,
      revokedAt: null,
      replacedBy: null,
    })
    assert.deepEqual(await records.keyByHash(hashOf("k1")), { key, tenant, shadow: null })
    assert.equal(await records.keyByHash(hashOf("k2")), null)
  })

  onRecords("a service key belongs to no tenant", async ({ records }) => {
    const key = await records.createKey(newKey("service"))
    assert.deepEqual(await records.keyByHash(hashOf("service")), {
      key,
      tenant: null,
      shadow: null,
    })
  })

  onRecords("keys are listed by tenant or all, oldest first", async ({ records }) => {
    const { id: tenantId } = await records.createTenant(acme)
    await records.createKey(newKey("late", { tenantId, at: at + 5 }))
    await records.createKey(newKey("early", { tenantId }))
    await records.createKey(newKey("service", { at: at + 1 }))
    const ids = async (of?: { tenantId?: number }) => (await records.keys(of)).map(({ id }) => id)
    assert.deepEqual(await ids({ tenantId }), ["early", "late"])
    assert.deepEqual(await ids(), ["early", "service", "late"])
    assert.deepEqual(await ids({ tenantId: tenantId + 1 }), [])
  })

  onRecords("ids and hashes of keys are unique, tenants of keys exist", async ({ records }) => {
    await records.createKey(newKey("k1"))
    const version = await records.accountsVersion()
    await assert.rejects(
      records.createKey(newKey("k1", { hash: hashOf("other") })),
      refusedAs("key-taken"),
    )
    await assert.rejects(
      records.createKey(newKey("k2", { hash: hashOf("k1") })),
      refusedAs("key-taken"),
    )
    await assert.rejects(records.createKey(newKey("k3", { tenantId: 99 })), refusedAs("not-found"))
    assert.equal((await records.keys()).length, 1)
    assert.equal(await records.accountsVersion(), version)
  })

  const successor = { id: "new", hash: hashOf("new"), hint: "ask_live_…next", expiresAt: null }
  const rotation = { id: "old", newKey: successor, overlapUntil: at + 1_000, at: at + 10, actor }

  onRecords(
    "a rotated key lives on for the overlap and names its successor",
    async ({ records }) => {
      const { id: tenantId } = await records.createTenant(acme)
      const scopes = ["usage:read"]
      const old = await records.createKey(newKey("old", { tenantId, label: "till", scopes }))
      const made = await records.rotateKey(rotation)
      assert.deepEqual(made, { ...old, id: "new", hint: "ask_live_…next", createdAt: at + 10 })
      assert.deepEqual((await records.keyByHash(hashOf("new")))?.key, made)
      assert.deepEqual((await records.keyByHash(hashOf("old")))?.key, {
        ...old,
        expiresAt: at + 1_000,
        replacedBy: "new",
      })
    },
  )

  onRecords("label and end of a key change, until it has ended", async ({ records }) => {
    const { id: tenantId } = await records.createTenant(acme)
    const key = await records.createKey(newKey("k1", { tenantId, expiresAt: at + 50 }))
    const version = await records.accountsVersion()
    const change = { id: "k1", at: at + 1, actor }
    const labelled = await records.changeKey({ ...change, label: "till 2" })
    assert.deepEqual(labelled, { ...key, label: "till 2" })
    const lasting = await records.changeKey({ ...change, expiresAt: null })
    assert.deepEqual(lasting, { ...key, label: "till 2", expiresAt: null })
    assert.equal(await records.accountsVersion(), version + 2)
    const [last, first] = await records.audit({ limit: 2 })
    assert.deepEqual([last?.action, last?.subject], ["key.change", "key:k1"])
    assert.deepEqual([first?.detail, last?.detail], [{ label: "till 2" }, { expiresAt: null }])
    await records.changeKey({ ...change, expiresAt: at + 20 })
    const late = records.changeKey({ ...change, at: at + 20, expiresAt: null })
    await assert.rejects(late, refusedAs("key-expired"))
    await records.revokeKey({ id: "k1", at: at + 5, actor })
    await assert.rejects(records.changeKey({ ...change, label: "" }), refusedAs("key-revoked"))
    await assert.rejects(records.changeKey({ ...change, id: "k9" }), refusedAs("not-found"))
  })

  onRecords("an overlap never lengthens a key's life", async ({ records }) => {
    await records.createKey(newKey("old", { expiresAt: at + 50 }))
    await records.rotateKey(rotation)
    assert.equal((await records.keyByHash(hashOf("old")))?.key.expiresAt, at + 50)
  })

  onRecords("an unknown, revoked, expired or replaced key is not rotated", async ({ records }) => {
    await records.createKey(newKey("revoked"))
    await records.revokeKey({ id: "revoked", at, actor })
    await records.createKey(newKey("expired", { expiresAt: rotation.at }))
    await records.createKey(newKey("replaced"))
    const other = { ...successor, id: "other", hash: hashOf("other") }
    await records.rotateKey({ ...rotation, id: "replaced", newKey: other })
    const before = { keys: await records.keys(), version: await records.accountsVersion() }

    for (const [id, code] of [
      ["unknown", "not-found"],
      ["revoked", "key-revoked"],
      ["expired", "key-expired"],
      ["replaced", "key-replaced"],
    ] as const) {
      await assert.rejects(records.rotateKey({ ...rotation, id }), refusedAs(code))
    }
    assert.deepEqual(
      { keys: await records.keys(), version: await records.accountsVersion() },
      before,
    )
    assert.equal(await records.keyByHash(successor.hash), null)
  })

  onRecords("of two rotations at once one wins", async ({ records, open }) => {
    await records.createKey(newKey("old"))
    const second = await open()
    const other = { ...successor, id: "other", hash: hashOf("other") }
    const outcomes = await Promise.allSettled([
      records.rotateKey(rotation),
      second.rotateKey({ ...rotation, newKey: other }),
    ])
    const lost = outcomes.filter((outcome) => outcome.status === "rejected")
    assert.equal(lost.length, 1)
    refusedAs("key-replaced")(lost[0]?.reason)
    assert.equal((await records.keys()).length, 2)
  })

  onRecords("revoking again changes nothing", async ({ records }) => {
    await records.createKey(newKey("k1"))
    await records.createKey(newKey("k2"))
    await records.revokeKey({ id: "k1", at: at + 1, actor })
    const version = await records.accountsVersion()
    await records.revokeKey({ id: "k1", at: at + 2, actor: "cli:bob" })
    assert.equal((await records.keyByHash(hashOf("k1")))?.key.revokedAt, at + 1)
    assert.equal((await records.keyByHash(hashOf("k2")))?.key.revokedAt, null)
    assert.equal(await records.accountsVersion(), version)
    const revocations = (await records.audit({ limit: 10 })).filter(
      ({ action }) => action === "key.revoke",
    )
    assert.deepEqual(
      revocations.map(({ actor }) => actor),
      [actor],
    )
    await assert.rejects(records.revokeKey({ id: "none", at, actor }), refusedAs("not-found"))
  })

  onRecords("of two revocations at once one is noted", async ({ records, open }) => {
    await records.createKey(newKey("k1"))
    const second = await open()
    await Promise.all([
      records.revokeKey({ id: "k1", at: at + 1, actor: "cli:ada" }),
      second.revokeKey({ id: "k1", at: at + 2, actor: "cli:bob" }),
    ])
    const [entry, before] = await records.audit({ limit: 2 })
    assert.equal(entry?.action, "key.revoke")
    assert.equal(before?.action, "key.create")
    assert.equal((await records.keyByHash(hashOf("k1")))?.key.revokedAt, entry.at)
  })

  onRecords(
    "what was done elsewhere is noted as it is told, and changes no account",
    async ({ records }) => {
      const done = { at, actor, action: "corpus.import", subject: "batch:7", detail: { rows: 3 } }
      await records.addAudit(done)
      const [entry, ...others] = await records.audit({ limit: 2 })
      assert.deepEqual(entry, { ...done, id: entry?.id, tenantId: null, requestId: null })
      assert.deepEqual(others, [])
      assert.equal(await records.accountsVersion(), 0)
    },
  )

  onRecords("texts are ordered by their bytes, not by a language", async ({ records }) => {
    for (const id of ["a", "Z", "é", "_", "b"]) await records.createKey(newKey(id))
    const ids = (await records.keys()).map(({ id }) => id)
    assert.deepEqual(ids, ["Z", "_", "a", "b", "é"])
  })

  onRecords(
    "every change of the accounts is one version and one audit entry",
    async ({ records }) => {
      assert.equal(await records.accountsVersion(), 0)
      const { id: tenantId } = await records.createTenant(acme)
      await records.setPlan({ tenantId, plan: "enterprise", at: at + 1, actor })
      await records.createKey(newKey("old", { tenantId, label: "till", at: at + 2 }))
      await records.rotateKey(rotation)
      await records.revokeKey({ id: "new", at: at + 20, actor })
      assert.equal(await records.accountsVersion(), 5)

      const subject = `tenant:${tenantId}`
      const entries = await records.audit({ limit: 10 })
      assert.deepEqual(
        entries.map(({ at, actor, action, subject, detail }) => ({
          at,
          actor,
          action,
          subject,
          detail,
        })),
        [
          { at: at + 20, actor, action: "key.revoke", subject: "key:new", detail: {} },
          {
            at: at + 10,
            actor,
            action: "key.rotate",
            subject: "key:old",
            detail: { replacedBy: "new", expiresAt: at + 1_000 },
          },
          {
            at: at + 2,
            actor,
            action: "key.create",
            subject: "key:old",
            detail: { tenantId, label: "till", scopes: ["score"], expiresAt: null },
          },
          { at: at + 1, actor, action: "tenant.set-plan", subject, detail: { plan: "enterprise" } },
          { at, actor, action: "tenant.create", subject, detail: { name: "Acme", plan: "free" } },
        ],
      )
      assert.deepEqual(await records.audit({ limit: 2 }), entries.slice(0, 2))
      // In pages, from either end.
      const before = entries[1]?.id ?? 0
      assert.deepEqual(await records.audit({ limit: 2, before }), entries.slice(2, 4))
      assert.deepEqual(await records.audit({ limit: 2, before: entries.at(-1)?.id ?? 0 }), [])
      const oldestFirst = entries.toReversed()
      const after = oldestFirst[1]?.id ?? 0
      assert.deepEqual(await records.auditAfter({ limit: 9, after: 0 }), oldestFirst)
      assert.deepEqual(await records.auditAfter({ limit: 2, after }), oldestFirst.slice(2, 4))
      assert.deepEqual(await records.auditAfter({ limit: 2, after: entries[0]?.id ?? 0 }), [])
    },
  )

  onRecords("what is done elsewhere is noted in the same trail", async ({ records }) => {
    const note = { at, actor, action: "source.remove", subject: "source:1", detail: { rows: 3 } }
    const version = await records.accountsVersion()
    await records.addAudit(note)
    const [entry] = await records.audit({ limit: 1 })
    assert.deepEqual(entry, { id: entry?.id, ...note, tenantId: null, requestId: null })
    assert.equal(await records.accountsVersion(), version)
  })

  onRecords("reading and metering leave the accounts' version alone", async ({ records }) => {
    const { id: tenantId } = await records.createTenant(acme)
    await records.createKey(newKey("k1", { tenantId }))
    await records.addUsage([{ keyId: "k1", day: "2026-03-01", operation: "email", count: 1 }])
    await records.addDailyIdentities([{ day: "2026-03-01", tenantId, tag: new Uint8Array(8) }])
    await records.keyByHash(hashOf("k1"))
    assert.equal(await records.accountsVersion(), 2)
  })

  onRecords("usage adds up by key, day and operation", async ({ records }) => {
    const { id: tenantId } = await records.createTenant(acme)
    await records.createKey(newKey("k1", { tenantId }))
    await records.createKey(newKey("k2", { tenantId }))
    await records.createKey(newKey("service"))
    const row = (keyId: string, day: string, operation: string, count: number) => ({
      keyId,
      day,
      operation,
      count,
    })
    await records.addUsage([])
    await records.addUsage([
      row("k1", "2026-02-28", "email", 2),
      row("k1", "2026-03-01", "email", 3),
      row("k1", "2026-03-01", "email", 4),
      row("k1", "2026-03-01", "phone", 5),
      row("k2", "2026-03-31", "email", 6),
      row("service", "2026-03-02", "email", 7),
      row("k1", "2026-04-01", "email", 8),
    ])
    await records.addUsage([row("k1", "2026-03-01", "email", 10)])

    const [from, to] = ["2026-03-01", "2026-03-31"]
    assert.deepEqual(await records.usage({ keyId: "k1", from, to }), [
      row("k1", "2026-03-01", "email", 17),
      row("k1", "2026-03-01", "phone", 5),
    ])
    assert.deepEqual(await records.usage({ tenantId, from: "2026-02-28", to }), [
      row("k1", "2026-02-28", "email", 2),
      row("k1", "2026-03-01", "email", 17),
      row("k1", "2026-03-01", "phone", 5),
      row("k2", "2026-03-31", "email", 6),
    ])
    assert.equal((await records.usage({ from, to })).length, 4)
    assert.deepEqual(await records.usageOfMonth("2026-03"), new Map([[tenantId, 28]]))
    assert.deepEqual(await records.usageOfMonth("2025-03"), new Map())
  })

  onRecords("usage from two openings at once sums right", async ({ records, open }) => {
    const { id: tenantId } = await records.createTenant(acme)
    const second = await open()
    const ids = ["k1", "k2", "k3"]
    for (const id of ids) await records.createKey(newKey(id, { tenantId }))
    const rows = ids.map((keyId) => ({ keyId, day: "2026-03-01", operation: "email", count: 1 }))
    const rounds = Array.from({ length: 40 }, (_, round) =>
      round % 2 === 0 ? records.addUsage(rows) : second.addUsage(rows.toReversed()),
    )
    await Promise.all(rounds)
    assert.deepEqual(await records.usageOfMonth("2026-03"), new Map([[tenantId, 120]]))
  })

  onRecords("any sequence of usage batches sums as arithmetic does", async ({ records }) => {
    const { id: tenantId } = await records.createTenant(acme)
    for (const id of ["a", "b"]) await records.createKey(newKey(id, { tenantId }))
    const row = fc.record({
      keyId: fc.constantFrom("a", "b"),
      day: fc.constantFrom("2026-03-01", "2026-03-02"),
      operation: fc.constantFrom("email", "phone", "batch"),
      count: fc.nat({ max: 1_000_000 }),
    })
    const sums = new Map<string, number>()
    const property = fc.asyncProperty(fc.array(row, { maxLength: 30 }), async (rows) => {
      await records.addUsage(rows)
      for (const { keyId, day, operation, count } of rows) {
        const name = [day, keyId, operation].join()
        sums.set(name, (sums.get(name) ?? 0) + count)
      }
      const stored = await records.usage({ tenantId, from: "2026-03-01", to: "2026-03-31" })
      assert.deepEqual(
        stored.map(({ keyId, day, operation, count }) => [[day, keyId, operation].join(), count]),
        [...sums].sort(([a], [b]) => (a < b ? -1 : 1)),
      )
    })
    // No shrinking: a run leaves its counts behind, so a smaller one would not start from zero.
    await fc.assert(property, { seed: 20_260_301, numRuns: 25, endOnFailure: true })
  })

  onRecords("a batch of usage is written whole or not at all", async ({ records }) => {
    await records.createKey(newKey("k1"))
    const many = Array.from({ length: 1_200 }, (_, index) => ({
      keyId: "k1",
      day: "2026-03-01",
      operation: `operation ${index}`,
      count: 1,
    }))
    const stray = { keyId: "zz", day: "2026-03-01", operation: "email", count: 1 }
    const march = { from: "2026-03-01", to: "2026-03-31" }
    await assert.rejects(records.addUsage([...many, stray]), refusedAs("not-found"))
    assert.deepEqual(await records.usage(march), [])
    await records.addUsage(many)
    assert.equal((await records.usage(march)).length, 1_200)
  })

  onRecords("daily identities are a set, and old days are forgotten", async ({ records }) => {
    const { id: tenantId } = await records.createTenant(acme)
    const { id: otherId } = await records.createTenant({ ...acme, name: "Other" })
    const first = Uint8Array.of(0, 255, 128, 1, 2, 3, 4, 5)
    const second = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0)
    const today = [
      { day: "2026-03-02", tenantId, tag: first },
      { day: "2026-03-02", tenantId, tag: second },
      { day: "2026-03-02", tenantId: otherId, tag: first },
    ]
    const yesterday = { day: "2026-03-01", tenantId, tag: first }
    await records.addDailyIdentities([])
    await records.addDailyIdentities([...today.toReversed(), yesterday, yesterday])
    await records.addDailyIdentities(today)
    assert.deepEqual(await records.dailyIdentities("2026-03-02"), today)
    assert.deepEqual(await records.dailyIdentities("2026-03-02", otherId), today.slice(2))
    assert.deepEqual(await records.dailyIdentities("2026-03-02", otherId + 1), [])
    assert.equal(await records.forgetDailyIdentities("2026-03-02"), 1)
    assert.deepEqual(await records.dailyIdentities("2026-03-01"), [])
    assert.deepEqual(await records.dailyIdentities("2026-03-02"), today)
    assert.equal(await records.forgetDailyIdentities("2026-03-02"), 0)

    const stray = { day: "2026-03-02", tenantId: otherId + 1, tag: second }
    await assert.rejects(records.addDailyIdentities([stray]), refusedAs("not-found"))
  })

  onRecords("texts, times and bytes come back as they were written", async ({ records }) => {
    let made = 0
    const text = fc
      .string({ unit: "grapheme", maxLength: 40 })
      .filter((value) => !value.includes("\0"))
    const written = fc.record({
      label: text,
      hint: text,
      scopes: fc.array(text, { maxLength: 4 }),
      at: fc.maxSafeNat(),
      expiresAt: fc.option(fc.maxSafeNat()),
      hash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    })
    const property = fc.asyncProperty(written, async (fields) => {
      const id = `key ${++made}`
      await records.createKey({ ...newKey(id), ...fields })
      const holder = await records.keyByHash(fields.hash)
      const { label, hint, scopes, at: createdAt, expiresAt } = fields
      const key = { id, tenantId: null, label, hint, scopes, createdAt, expiresAt }
      assert.deepEqual(holder?.key, { ...key, revokedAt: null, replacedBy: null })
    })
    await fc.assert(property, { seed: 20_260_302, numRuns: 50 })
  })

  onRecords("a failure in the middle of a change leaves nothing behind", async (openings) => {
    const { records, execute } = openings
    await records.createKey(newKey("old"))
    const before = await records.keys()
    await execute("drop table audit")

    await assert.rejects(records.createTenant(acme), refusedAs("unavailable"))
    await assert.rejects(records.createKey(newKey("k1")), refusedAs("unavailable"))
    await assert.rejects(records.rotateKey(rotation), refusedAs("unavailable"))
    await assert.rejects(records.revokeKey({ id: "old", at, actor }), refusedAs("unavailable"))

    assert.deepEqual(await records.tenants(), [])
    assert.deepEqual(await records.keys(), before)
    assert.equal(await records.accountsVersion(), 1)
  })

  onRecords("another opening sees what was written, and so does a later one", async (openings) => {
    const { records, open } = openings
    const tenant = await records.createTenant(acme)
    const key = await records.createKey(newKey("k1", { tenantId: tenant.id }))
    assert.deepEqual(await (await open()).keyByHash(hashOf("k1")), { key, tenant, shadow: null })
    await records.close()
    const later = await open()
    await later.migrate()
    assert.deepEqual(await later.keyByHash(hashOf("k1")), { key, tenant, shadow: null })
    assert.equal(await later.accountsVersion(), 2)
  })

  test(`${engine}: migrating again, or from several openings at once, changes nothing`, async () => {
    const { open } = await emptyDatabase()
    const openings = await Promise.all([open(), open(), open()])
    await assert.rejects(openings[0].ping(), refusedAs("unavailable"))
    await Promise.all(openings.map((records) => records.migrate()))
    const tenant = await openings[0].createTenant(acme)
    await openings[1].migrate()
    for (const records of openings) {
      await records.ping()
      assert.deepEqual(await records.tenants(), [tenant])
      await records.close()
    }
  })

  onRecords("records of a newer format are not opened, migrated or changed", async (openings) => {
    const { records, execute, open } = openings
    await execute("update meta set value = '99' where name = 'format'")
    const says99 = (error: unknown) =>
      refusedAs("newer-format")(error) && /format 99 /.test((error as Error).message)
    await assert.rejects(open(), says99)
    await assert.rejects(records.migrate(), says99)
    await execute("update meta set value = '1' where name = 'format'")
    await (await open()).ping()
  })

  onRecords("a key check value is kept, and any other is refused", async ({ records, open }) => {
    await records.checkKeyCheckValue("first")
    await records.checkKeyCheckValue("first")
    const later = await open()
    await assert.rejects(later.checkKeyCheckValue("second"), { code: "wrong-secret" })
    await assert.rejects(later.checkKeyCheckValue("second"), refusedAs("wrong-secret"))
    await later.checkKeyCheckValue("first")
  })

  onRecords("records with keys of identity/v1 are refused as a whole", async (openings) => {
    const { records, execute, open } = openings
    await records.checkKeyCheckValue("v2:0123456789abcdef")
    await execute("update meta set value = '0123456789abcdef' where name = 'key_check_value'")
    const saysSo = (error: unknown) =>
      refusedAs("old-keys")(error) &&
      /keys of identity\/v1, .+ a new database\) and import again\.$/.test((error as Error).message)
    await assert.rejects(open(), saysSo)
    await assert.rejects(records.migrate(), saysSo)
  })

  onRecords("of two secrets used first at once one is refused", async ({ records, open }) => {
    const second = await open()
    const outcomes = await Promise.allSettled([
      records.checkKeyCheckValue("first"),
      second.checkKeyCheckValue("second"),
    ])
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"])
  })

  onRecords("a closed store says it is not available", async ({ records }) => {
    await records.ping()
    await records.close()
    await assert.rejects(records.ping(), refusedAs("unavailable"))
    await assert.rejects(records.createTenant(acme), refusedAs("unavailable"))
  })
}
