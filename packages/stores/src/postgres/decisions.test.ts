import assert from "node:assert/strict"
import { after, test } from "node:test"
import { sql } from "kysely"
import { Client } from "pg"
import { DAY_MS } from "@assay/runtime/time"

import {
  countAll,
  countsOf,
  countsOfFirsts,
  decisionsSuite,
  identitiesBetween,
  newDecision,
} from "../../testing/decisions-suite.ts"
import { refusedAs } from "../../testing/records-suite.ts"
import { format1Values } from "../../testing/format-1-decisions.ts"
import { firstDecisionIdAt } from "../decision-id.ts"
import type { Decision } from "../decisions.ts"
import { openPostgresDecisions } from "./decisions.ts"
import { connected, openPostgresRecords } from "./records.ts"
import { execute, startTestServer, type TestServer } from "../../testing/postgres/test-server.ts"

const server = await startTestServer().catch((error: unknown) => {
  if (process.env["CI"] === "true") throw error
  return String(error)
})
if (typeof server === "string") test("postgres decisions", { skip: server }, () => {})
else testOn(server)

function testOn(server: TestServer): void {
  after(() => server.stop())

  decisionsSuite("postgres", async () => {
    const url = await server.createDatabase()
    return () => openPostgresDecisions({ url, poolMax: 2 })
  })

  test("postgres: decisions live beside the records, and many may open them at once", async () => {
    const url = await server.createDatabase()
    const records = await openPostgresRecords({ url, poolMax: 1 })
    await records.migrate()
    const opened = await Promise.all(
      Array.from({ length: 4 }, () => openPostgresDecisions({ url, poolMax: 1 })),
    )
    const added = opened.map(() => newDecision())
    await Promise.all(opened.map((decisions, n) => decisions.add(added.slice(n, n + 1))))
    for (const decisions of opened)
      assert.equal((await decisions.list({ tenantId: 1, limit: 9 })).length, added.length)
    await Promise.all([...opened, records].map((store) => store.close()))
  })

  test("postgres: the ids of a block stay in its row, where a search compares them", async () => {
    const url = await server.createDatabase()
    const decisions = await openPostgresDecisions({ url, poolMax: 1 })
    await decisions.add([newDecision()])
    const database = connected({ connectionString: url, max: 1 })
    const { rows } = await sql<{ storage: string }>`
      select distinct attstorage as storage from pg_attribute join pg_class on oid = attrelid
      where relname like 'decision_blocks_20%' and relkind = 'r' and attname in ('first', 'last')
    `.execute(database)
    assert.deepEqual(rows, [{ storage: "p" }])
    await Promise.all([decisions.close(), database.destroy()])
  })

  test("postgres: decisions of format 1 are read as they are, and moved once one is added", async () => {
    const url = await server.createDatabase()
    const noon = Date.UTC(2026, 10, 15, 12)
    const mine = new Uint8Array(16).fill(7)
    const older = Array.from({ length: 1_200 }, (_, n) =>
      newDecision({
        at: noon - 29 * DAY_MS + n * 2_000_000,
        tenantId: 1 + (n % 2),
        identityKey: n % 100 === 7 ? mine : new Uint8Array(16).fill(1),
        input: `{"n":${n}}`,
      }),
    )
    await writeFormat1(url, older)
    const [decisions, beside] = [
      await openPostgresDecisions({ url, poolMax: 1 }),
      await openPostgresDecisions({ url, poolMax: 1 }),
    ]
    const checked = async (): Promise<void> => {
      for (const store of [decisions, beside]) {
        assert.deepEqual(await store.page({ after: null, limit: 5_000 }), older)
        const own = older.filter(({ tenantId }) => tenantId === 1).reverse()
        assert.deepEqual(await store.list({ tenantId: 1, limit: 5_000 }), own)
        assert.deepEqual(await store.find(older[600]?.id ?? ""), older[600])
        assert.deepEqual((await countAll(store, { tenantId: 1, from: 0 })).counts, countsOf(own))
        const about = await identitiesBetween(store, noon - 20 * DAY_MS, noon)
        const since = older.filter(({ at }) => at >= noon - 20 * DAY_MS && at < noon)
        assert.deepEqual(about.counts, countsOfFirsts(since))
      }
    }
    await checked()
    await decisions.add([older[7] as Decision, older[800] as Decision])
    const rows = async (): Promise<number> => {
      const client = new Client({ connectionString: url })
      await client.connect()
      const { rows } = await client.query<{ n: string }>("select count(*) as n from decisions")
      await client.end()
      return Number(rows[0]?.n)
    }
    while ((await rows()) > 0) await checked()
    await checked()
    assert.equal(await beside.eraseIdentity({ identityKey: mine, tenantId: null, upTo: noon }), 12)
    const day = new Date(noon - 10 * DAY_MS).toISOString().slice(0, 10)
    const gone = older.filter(({ at }) => at < Date.parse(day)).length
    assert.equal(await decisions.forgetBefore(day), gone)
    assert.equal((await beside.page({ after: null, limit: 5_000 })).length, older.length - gone)
    await Promise.all([decisions.close(), beside.close()])
  })

  test("postgres: tables of a newer program are refused", async () => {
    const url = await server.createDatabase()
    await (await openPostgresDecisions({ url, poolMax: 1 })).close()
    await execute(url, "update decisions_format set format = 3")
    await assert.rejects(openPostgresDecisions({ url, poolMax: 1 }), refusedAs("newer-format"))
  })
}

/** Makes the tables as programs made them before decisions lay in blocks. */
async function writeFormat1(url: string, decisions: readonly Decision[]): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`
    create table decisions_format (format bigint primary key);
    insert into decisions_format values (1);
    create table decisions (
      id text collate "C" primary key, at bigint not null, tenant_id bigint,
      key_id text not null, subject text not null, identity_key bytea not null,
      model_version text not null, calibration text, score bigint not null, stage text,
      confidence text, action text not null, input text not null, format bigint not null
    ) partition by range (id);
    create index decisions_of_tenant on decisions (tenant_id, id);
    create index decisions_of_identity on decisions (identity_key);`)
  for (const month of [9, 10]) {
    const [from, to] = [month, month + 1].map((each) => firstDecisionIdAt(Date.UTC(2026, each)))
    await client.query(
      `create table decisions_2026_${month + 1} partition of decisions for values from ('${from}') to ('${to}')`,
    )
  }
  for (const decision of decisions) {
    const values = format1Values(decision)
    const places = values.map((_, n) => `$${n + 1}`).join(", ")
    await client.query(`insert into decisions values (${places})`, values)
  }
  await client.end()
}
