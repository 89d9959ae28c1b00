import assert from "node:assert/strict"

import type { SealedHead } from "../src/audit-chain.ts"
import { type AuditReport, verifyAudit } from "../src/audit-verify.ts"
import type { Records } from "../src/records.ts"
import { auditKey } from "./audit-key.ts"
import { newKey, refusedAs, type TestDatabase, testsOnRecords } from "./records-suite.ts"

const at = Date.UTC(2026, 2, 1)
const actor = "shell:ada"
const done = (n: number, more: object = {}) => ({
  at: at + n,
  actor,
  action: "source.retitle",
  subject: `source:${n}`,
  detail: { n },
  ...more,
})

/** The chain of the audit trail. `unlock` is what somebody runs who wants to change entries. */
export function recordsAuditSuite(
  engine: string,
  newDatabase: () => Promise<TestDatabase>,
  unlock: string,
): void {
  const onRecords = testsOnRecords(engine, newDatabase)
  const verify = (records: Records, heads: SealedHead[] = []): Promise<AuditReport> =>
    verifyAudit(records, auditKey, heads)
  const told = async (records: Records, heads: SealedHead[] = []): Promise<[number, string][]> =>
    (await verify(records, heads)).faults.map(({ row, text }) => [row, text])
  const headNow = async (
    records: Records,
    kind: SealedHead["kind"] = "head",
  ): Promise<SealedHead> => {
    const { head } = await records.auditEnds()
    assert.ok(head !== null)
    return { ...head, at, kind }
  }
  const fill = async (records: Records, count: number, from = 1): Promise<void> => {
    for (let n = from; n < from + count; n++) await records.addAudit(done(n))
  }

  onRecords(
    "entries are numbered without a gap and prove each other, whatever wrote them",
    async ({ records }) => {
      assert.deepEqual(await verify(records), {
        rows: 0,
        last: 0,
        cutThrough: 0,
        chainedThrough: 0,
        provenBy: null,
        faults: [],
        faultCount: 0,
      })
      const tenant = { name: "Acme", plan: "free", at, actor }
      const { id: tenantId } = await records.createTenant(tenant)
      // What is refused leaves no number out.
      await assert.rejects(records.createTenant(tenant), refusedAs("name-taken"))
      await records.createKey(newKey("k1", { tenantId, requestId: "req-1" }))
      await records.revokeKey({ id: "k1", at, actor: "key:k2", requestId: "req-2" })
      await records.addAudit(done(1, { detail: { text: 'ünïcode \ud800 "quotes"' } }))
      const { rows, last, faults } = await verify(records)
      assert.deepEqual({ rows, last, faults }, { rows: 4, last: 4, faults: [] })
      const entries = await records.audit({ limit: 9 })
      assert.deepEqual(
        entries.map(({ tenantId, requestId }) => [tenantId, requestId]),
        [
          [null, null],
          [tenantId, "req-2"],
          [tenantId, "req-1"],
          [tenantId, null],
        ],
      )
      assert.deepEqual(await records.audit({ limit: 9, tenantId }), entries.slice(1))
      assert.deepEqual(await records.audit({ limit: 9, tenantId: tenantId + 1 }), [])
    },
  )

  onRecords("writers at the same time make one chain", async ({ records, open }) => {
    const writers = [records, await open(), await open()]
    await Promise.all(
      writers.flatMap((writer, w) =>
        Array.from({ length: 20 }, (_, n) =>
          n % 4 === 0
            ? writer.createTenant({ name: `t${w}-${n}`, plan: "free", at, actor })
            : writer.addAudit(done(n)),
        ),
      ),
    )
    const { rows, last, faults } = await verify(records)
    assert.deepEqual({ rows, last, faults }, { rows: 60, last: 60, faults: [] })
  })

  onRecords("under another key no proof holds", async ({ records }) => {
    await fill(records, 3)
    const { faultCount } = await verifyAudit(records, new Uint8Array(32), [])
    assert.equal(faultCount, 3)
  })

  onRecords("the engine refuses to change or remove entries", async ({ records, execute }) => {
    await fill(records, 3)
    for (const statement of [
      "update audit set actor = 'shell:eve' where id = 2",
      "update audit set mac = null",
      "delete from audit where id = 3",
      "delete from audit",
    ])
      await assert.rejects(execute(statement), /audit trail/)
    assert.deepEqual(await told(records), [])
  })

  onRecords("an entry with any other value is named", async ({ records, execute }) => {
    await fill(records, 5)
    await execute(unlock)
    for (const [column, value] of [
      ["at", "at + 1"],
      ["actor", "'shell:eve'"],
      ["action", "'source.remove'"],
      ["subject", "'source:4'"],
      ["detail", `'{"n": 3}'`],
      ["tenant_id", "1"],
      ["request_id", "''"],
      ["mac", "null"],
    ] as const) {
      await execute("drop table if exists kept")
      await execute("create table kept as select * from audit where id = 3")
      await execute(`update audit set ${column} = ${value} where id = 3`)
      const faults = await told(records)
      assert.deepEqual(
        faults,
        [[3, "entry 3 is not as it was written, or not where it was written"]],
        column,
      )
      await execute(`update audit set ${column} = (select ${column} from kept) where id = 3`)
      assert.deepEqual(await told(records), [], column)
    }
  })

  onRecords(
    "an entry that is removed is named, and so are several",
    async ({ records, execute }) => {
      await fill(records, 9)
      await execute(unlock)
      await execute("delete from audit where id = 4")
      assert.deepEqual(await told(records), [[4, "entry 4 is missing"]])
      await execute("delete from audit where id in (1, 2, 7)")
      assert.deepEqual(await told(records), [
        [1, "entries 1 to 2 are missing"],
        [4, "entry 4 is missing"],
        [7, "entry 7 is missing"],
      ])
    },
  )

  onRecords("entries that change places are named", async ({ records, execute }) => {
    await fill(records, 6)
    await execute(unlock)
    await execute("update audit set id = 100 where id = 2")
    await execute("update audit set id = 2 where id = 4")
    await execute("update audit set id = 4 where id = 100")
    const rows = (await told(records)).map(([row]) => row)
    assert.ok(rows.includes(2) && rows.includes(4), String(rows))
    assert.ok(!rows.includes(1) && !rows.includes(6), String(rows))
  })

  onRecords("an entry put in between or behind is named", async ({ records, execute }) => {
    await fill(records, 2)
    const columns = "id, at, actor, action, subject, detail"
    await execute(`insert into audit (${columns}) values (3, 1, 'shell:eve', 'a', 'b', '{}')`)
    const rows = (await told(records)).map(([row]) => row)
    assert.ok(rows.length > 0 && rows.every((row) => row === 3), String(rows))
    // The next writer stops instead of going on from a forged end.
    await assert.rejects(records.addAudit(done(3)))
  })

  onRecords(
    "a cut tail is named by the head in the database, and by one outside if that is changed too",
    async ({ records, execute }) => {
      await fill(records, 4)
      const early = await headNow(records)
      await fill(records, 3, 5)
      const late = await headNow(records)
      await execute(unlock)
      await execute("delete from audit where id > 4")
      assert.deepEqual(await told(records), [[5, "entries 5 to 7 are missing"]])
      await execute(
        `update meta set value = '4:${Buffer.from(early.mac).toString("hex")}' where name = 'audit_head'`,
      )
      // The database alone proves nothing about its own end.
      assert.deepEqual(await told(records), [])
      assert.deepEqual((await verify(records, [early])).provenBy, early)
      assert.deepEqual(await told(records, [early, late]), [
        [5, "entries 5 to 7 are missing: at 2026-03-01T00:00:00.000Z the trail went up to 7"],
      ])
      // And if it goes on from there, what is there now is not what was.
      await fill(records, 5, 50)
      assert.deepEqual(await told(records), [])
      assert.deepEqual(await told(records, [early, late]), [
        [7, "entry 7 is not the one that was there at 2026-03-01T00:00:00.000Z"],
      ])
      assert.deepEqual(await told(records, [early, late, await headNow(records)]), [
        [7, "entry 7 is not the one that was there at 2026-03-01T00:00:00.000Z"],
      ])
    },
  )

  onRecords(
    "an emptied trail is named, with and without its head",
    async ({ records, execute }) => {
      await fill(records, 3)
      const head = await headNow(records)
      await execute(unlock)
      await execute("delete from audit")
      assert.deepEqual(await told(records), [[1, "entries 1 to 3 are missing"]])
      await execute("delete from meta where name = 'audit_head'")
      assert.match((await told(records, [head])).join("\n"), /head .* gone[^]*entries 1 to 3/)
      await assert.rejects(records.addAudit(done(4)), refusedAs("audit-broken"))
    },
  )

  onRecords("what a restored backup gave up is not missed", async ({ records, execute }) => {
    await fill(records, 2)
    const restored = await headNow(records, "restored")
    await fill(records, 3, 3)
    const before = await headNow(records)
    await execute(unlock)
    await execute("delete from audit where id > 2")
    await execute(
      `update meta set value = '2:${Buffer.from(restored.mac).toString("hex")}' where name = 'audit_head'`,
    )
    await fill(records, 1, 30)
    const faults = await told(records, [before, restored])
    assert.deepEqual(faults, [])
    // Said before the cut, it excuses nothing.
    assert.deepEqual((await told(records, [restored, before])).length, 1)
  })

  onRecords(
    "old entries are removed by an entry that says so, from which the chain goes on",
    async ({ records, execute }) => {
      await fill(records, 30)
      const early = await headNow(records)
      const cut = { at: at + 99, actor: "assay", rowsMax: 8 }
      assert.equal(await records.cutAudit({ ...cut, before: at + 1 }), 0)
      assert.equal(await records.cutAudit({ ...cut, before: at + 12 }), 8)
      assert.equal(await records.cutAudit({ ...cut, before: at + 12 }), 3)
      assert.equal(await records.cutAudit({ ...cut, before: at + 12 }), 0)
      const report = await verify(records, [early])
      assert.deepEqual(report.faults, [])
      assert.deepEqual([report.rows, report.last, report.cutThrough], [21, 32, 11])
      const [said] = await records.audit({ limit: 1 })
      assert.equal(said?.action, "audit.cut")
      assert.equal(said.detail["through"], 11)
      assert.equal(said.detail["rows"], 3)
      // All that are left may be old: the entry that says so is not.
      assert.equal(await records.cutAudit({ ...cut, rowsMax: 99, before: at + 99 }), 19)
      assert.deepEqual((await verify(records, [early])).faults, [])
      await fill(records, 5, 40)
      assert.deepEqual((await verify(records, [early])).faults, [])
      // One more than was said is missed.
      await execute(unlock)
      const [oldest] = await records.auditAfter({ after: 0, limit: 1 })
      await execute(`delete from audit where id = ${oldest?.id ?? 0}`)
      assert.deepEqual(await told(records), [[oldest?.id, `entry ${oldest?.id} is missing`]])
    },
  )

  onRecords(
    "an old entry that was changed is not removed, for its removal would hide that",
    async ({ records, execute }) => {
      await fill(records, 5)
      await execute(unlock)
      await execute("update audit set actor = 'shell:eve' where id = 2")
      const cut = { at, actor, rowsMax: 99, before: at + 5 }
      await assert.rejects(records.cutAudit(cut), refusedAs("audit-broken"))
      assert.equal((await records.audit({ limit: 9 })).length, 5)
    },
  )
}
