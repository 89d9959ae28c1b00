import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { after, test } from "node:test"
import { sql } from "kysely"
import { type CopiedDatabase, recordsCopySuite } from "../../testing/records-copy-suite.ts"
import { recordsAuditSuite } from "../../testing/records-audit-suite.ts"
import { recordsFeedbackSuite } from "../../testing/records-feedback-suite.ts"
import { recordsSubjectsSuite } from "../../testing/records-subjects-suite.ts"
import { recordsEventsSuite } from "../../testing/records-events-suite.ts"
import { recordsEvidenceSuite } from "../../testing/records-evidence-suite.ts"
import { recordsMigrationSuite } from "../../testing/records-migration-suite.ts"
import { recordsOutsideSuite } from "../../testing/records-outside-suite.ts"
import { recordsPeopleSuite } from "../../testing/records-people-suite.ts"
import { recordsSignUpsSuite } from "../../testing/records-signups-suite.ts"
import { recordsPoliciesSuite } from "../../testing/records-policies-suite.ts"
import { recordsReviewSuite } from "../../testing/records-review-suite.ts"
import { recordsViewsSuite } from "../../testing/records-views-suite.ts"
import { recordsWatchSuite } from "../../testing/records-watch-suite.ts"
import { recordsShadowsSuite } from "../../testing/records-shadows-suite.ts"
import { recordsSharedSignalsSuite } from "../../testing/records-shared-signals-suite.ts"
import { recordsNodesSuite } from "../../testing/records-nodes-suite.ts"
import { recordsSinksSuite } from "../../testing/records-sinks-suite.ts"
import { recordsProviderCostsSuite } from "../../testing/records-provider-costs-suite.ts"
import { recordsSuite, refusedAs, type TestDatabase } from "../../testing/records-suite.ts"
import { auditKey } from "../../testing/audit-key.ts"
import { copySqliteRecords, openSqliteRecords } from "../sqlite/records.ts"
import { connected, copyPostgresRecords, openPostgresRecords } from "./records.ts"
import { recordsDatabases } from "../../testing/postgres/records-databases.ts"
import { startSwallowingProxy } from "../../testing/swallowing-proxy.ts"
import {
  execute,
  holdMigrations,
  startTestServer,
  type TestServer,
  untilAlone,
} from "../../testing/postgres/test-server.ts"

const server = await startTestServer().catch((error: unknown) => {
  if (process.env["CI"] === "true") throw error
  return String(error)
})
if (typeof server === "string") test("postgres", { skip: server }, () => {})
else testOn(server)

function testOn(server: TestServer): void {
  const databases = recordsDatabases(server)
  after(async () => {
    await databases.end()
    await server.stop()
  })

  const newDatabase = (): Promise<TestDatabase> => databases.next()
  const emptyDatabase = async (): Promise<TestDatabase> => {
    const url = await server.createDatabase()
    return {
      open: (use) => openPostgresRecords({ url, poolMax: 4, auditKey, ...use }),
      execute: (statement) => execute(url, statement),
    }
  }
  recordsSuite("postgres", newDatabase, emptyDatabase)
  recordsFeedbackSuite("postgres", newDatabase)
  recordsSubjectsSuite("postgres", newDatabase)

  const copied = async (): Promise<CopiedDatabase> => {
    const url = await server.createDatabase()
    return {
      open: () => openPostgresRecords({ url, poolMax: 2, auditKey }),
      copy: async () => copyPostgresRecords({ url, auditKey }),
    }
  }
  const file = async (): Promise<CopiedDatabase> => {
    const path = join(mkdtempSync(join(tmpdir(), "assay-records-")), "records.db")
    after(() => rmSync(dirname(path), { recursive: true }))
    return {
      open: () => openSqliteRecords({ file: path, auditKey }),
      copy: () => copySqliteRecords({ file: path, readOnly: false, auditKey }),
    }
  }
  recordsCopySuite("postgres to postgres", copied, copied)
  recordsCopySuite("sqlite to postgres", file, copied)
  recordsEvidenceSuite("postgres", newDatabase)
  recordsEventsSuite("postgres", newDatabase)
  recordsMigrationSuite("postgres", async () => {
    const url = await server.createDatabase()
    return {
      open: () => openPostgresRecords({ url, poolMax: 2, auditKey }),
      copy: async () => copyPostgresRecords({ url, auditKey }),
      execute: (statement) => execute(url, statement),
      spelling: {
        integer: "bigint",
        text: 'text collate "C"',
        bytes: "bytea",
        tableEnd: "",
        openAudit: "drop function assay_audit_kept cascade;",
        hex: (bytes) => `'\\x${Buffer.from(bytes).toString("hex")}'`,
      },
    }
  })
  test("postgres: records that a service without nodes is connected to are not brought over before it is gone", async () => {
    const url = await server.createDatabase()
    const records = await openPostgresRecords({ url, poolMax: 2, auditKey })
    await records.migrate()
    const older = new URL(url)
    older.searchParams.set("application_name", "assay")
    const service = connected({ connectionString: older.href, max: 1 })
    await sql`select`.execute(service)
    // Of this format an older one may be connected: it knows of nodes, or this one is not the
    // first.
    await records.migrate()
    const formatOf = async (): Promise<string | undefined> =>
      (await service.selectFrom("meta").select("value").where("name", "=", "format").execute())[0]
        ?.value
    const now = await formatOf()
    await execute(
      url,
      `drop table nodes; drop table leases; update meta set value = '20' where name = 'format';
       delete from assay_migration where name = '0021-nodes'`,
    )
    await assert.rejects(records.migrate(), refusedAs("unavailable"))
    assert.equal(await formatOf(), "20")
    await service.destroy()
    await untilAlone(url, "assay")
    await records.migrate()
    assert.deepEqual(await records.nodes(), [])
    await records.close()
    const after = connected({ connectionString: url, max: 1 })
    const { rows } = await sql<{ value: string }>`
      select value from meta where name = 'format'`.execute(after)
    assert.equal(rows[0]?.value, now)
    await after.destroy()
  })
  recordsProviderCostsSuite("postgres", newDatabase)
  recordsPoliciesSuite("postgres", newDatabase)
  recordsPeopleSuite("postgres", newDatabase)
  recordsSignUpsSuite("postgres", newDatabase)
  recordsReviewSuite("postgres", newDatabase)
  recordsViewsSuite("postgres", newDatabase)
  recordsWatchSuite("postgres", newDatabase)
  recordsSharedSignalsSuite("postgres", newDatabase)
  recordsSinksSuite("postgres", newDatabase)
  recordsNodesSuite("postgres", newDatabase)
  recordsAuditSuite("postgres", newDatabase, "drop function assay_audit_kept cascade")
  recordsShadowsSuite("postgres", newDatabase)
  recordsOutsideSuite("postgres", newDatabase)

  test("postgres: connections cut by the server are replaced by new ones", async () => {
    const url = await server.createDatabase()
    const records = await openPostgresRecords({ url, poolMax: 2, auditKey })
    await records.migrate()
    await Promise.all([records.ping(), records.ping()])
    await execute(
      url,
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'assay nodes'",
    )
    // A call may still use a connection whose end has not been noticed, and must report exactly
    // that.
    await records.ping().catch(refusedAs("unavailable"))
    await new Promise((resolve) => setTimeout(resolve, 100))
    await records.ping()
    await records.close()
  })

  test("postgres: a connection cut between two statements of a transaction fails the next and ends no process", async () => {
    const url = await server.createDatabase()
    const database = connected({ connectionString: url, max: 1 })
    await assert.rejects(
      database.transaction().execute(async (write) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(write)
        await execute(url, `select pg_terminate_backend(${rows[0]?.pid ?? 0}, 10000)`)
        // The end of the connection has arrived and nothing waits for an answer on it.
        await new Promise((resolve) => setTimeout(resolve, 100))
        await sql`select 1`.execute(write)
      }),
    )
    const { rows } = await sql<{ one: number }>`select 1 as one`.execute(database)
    assert.deepEqual(rows, [{ one: 1 }])
    await database.destroy()
  })

  test("postgres: where the network swallows everything, statements fail in time, and the next ones work once it is back", async () => {
    const url = new URL(await server.createDatabase())
    const proxy = await startSwallowingProxy(Number(url.port))
    after(() => proxy.stop())
    url.port = String(proxy.port)
    const max = 3
    const database = connected({
      ...{ connectionString: url.href, max },
      ...{ answerMs: 1_000, connectionTimeoutMillis: 1_000 },
    })
    const one = async (): Promise<unknown> => await sql`select 1`.execute(database)
    const inTransaction = async (between: () => void): Promise<void> =>
      await database.transaction().execute(async (write) => {
        await sql`select 1`.execute(write)
        between()
        await sql`select 1`.execute(write)
      })
    await Promise.all(Array.from({ length: max }, () => inTransaction(() => undefined)))
    await assert.rejects(inTransaction(() => proxy.swallow()))
    // Those that were idle, and after them new ones.
    for (let again = 0; again < 2 * max; again++) await assert.rejects(one())
    proxy.heal()
    // No statement meets a connection from before.
    for (let again = 0; again < 2 * max; again++) await one()
    await Promise.all(Array.from({ length: max }, one))
    await database.destroy()
  })

  test("postgres: records in a database set to read only refuse writes and say why", async () => {
    const url = await server.createDatabase()
    const records = await openPostgresRecords({ url, poolMax: 1 })
    await records.migrate()
    await execute(url, `alter database ${nameOf(url)} set default_transaction_read_only = on`)
    const standby = await openPostgresRecords({ url, poolMax: 1 })
    const acme = { name: "Acme", plan: "free", at: 1, actor: "test" }
    await assert.rejects(standby.createTenant(acme), refusedAs("read-only"))
    assert.deepEqual(await standby.tenants(), [])
    await standby.close()
    await records.close()
  })

  test("postgres: a migration takes longer than the database lets a statement run", async () => {
    const url = await server.createDatabase()
    await execute(url, `alter database ${nameOf(url)} set statement_timeout = '200ms'`)
    const letGo = await holdMigrations(url)
    const records = await openPostgresRecords({ url, poolMax: 1 })
    const migrated = records.migrate()
    await Promise.race([migrated, new Promise((resolve) => setTimeout(resolve, 1_000))])
    await letGo()
    await migrated
    assert.deepEqual(await records.tenants(), [])
    await records.close()
  })

  test("postgres: a migration gives up a lock that another process keeps, says so and changed nothing", async () => {
    const url = await server.createDatabase()
    const letGo = await holdMigrations(url)
    const records = await openPostgresRecords({ url, poolMax: 1, migrationWaitMs: 300 })
    await assert.rejects(records.migrate(), (error: Error) => {
      refusedAs("unavailable")(error)
      assert.match(error.message, /another process holds them/)
      return true
    })
    await letGo()
    await records.migrate()
    await records.close()
  })
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1)

test("postgres: a server that is not there is unavailable, with its reason as the cause", async () => {
  const url = "postgresql://postgres:password@127.0.0.1:1/none"
  await assert.rejects(openPostgresRecords({ url, poolMax: 1 }), (error: Error) => {
    refusedAs("unavailable")(error)
    assert.match(String(error.cause), /ECONNREFUSED/)
    return true
  })
})
