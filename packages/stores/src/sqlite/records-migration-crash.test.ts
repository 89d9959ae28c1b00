import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { test } from "node:test"

import { tablesOfFormat6 } from "../../testing/records-migration-suite.ts"
import { newKey } from "../../testing/records-suite.ts"
import { recordsFormat } from "../records-migrate.ts"
import { auditKey } from "../../testing/audit-key.ts"
import { openSqliteRecords } from "./records.ts"
import { sourceArguments } from "../../testing/source-process.ts"

const ROWS = 30_000
const soak = process.env["ASSAY_SOAK"] !== undefined
const kills = soak ? 40 : 4

// The test below runs this file with `migrate FILE`, as the process to be killed.
const [, , verb, path = ""] = process.argv
if (verb === "migrate") {
  process.stdout.write("begun\n")
  await migrate(path)
} else {
  test(`sqlite: ${kills} times kill -9 during a migration leave all rows, in the old tables or the new`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "assay-migration-"))
    try {
      const file = join(folder, "records.db")
      await older(file)
      for (let kill = 0; kill < kills; kill++) {
        const migrating = spawn(
          process.execPath,
          [...sourceArguments, import.meta.filename, "migrate", file],
          { stdio: ["ignore", "pipe", "inherit"] },
        )
        const exited = once(migrating, "exit")
        await once(migrating.stdout, "data")
        setTimeout(() => migrating.kill("SIGKILL"), Math.random() * 300)
        await exited
        assertWhole(file)
      }
      await migrate(file)
      assert.equal(assertWhole(file), recordsFormat)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
}

async function migrate(file: string): Promise<void> {
  const records = await openSqliteRecords({ file, auditKey })
  await records.migrate()
  await records.close()
}

/** A file of format 6 with as many rows in each of the tables that are replaced. */
async function older(file: string): Promise<void> {
  const records = await openSqliteRecords({ file, auditKey })
  await records.migrate()
  await records.createTenant({ name: "Acme", plan: "free", at: 1, actor: "test" })
  await records.createKey(newKey("k1", { tenantId: 1 }))
  await records.close()
  const database = new DatabaseSync(file)
  database.exec(
    tablesOfFormat6({
      integer: "integer",
      text: "text",
      bytes: "blob",
      tableEnd: "strict",
      openAudit: "drop trigger audit_kept; drop trigger audit_kept_as_is;",
    }),
  )
  database.exec(`
    begin;
    create temp table n as with recursive n (n) as
      (select 1 union all select n + 1 from n where n < ${ROWS}) select n from n;
    insert into evidence select 'fb_' || n, 1, 'k1', randomblob(16), 'email', 0, 'clear', n, n,
      null, null, null, null, null, null from n;
    insert into observations select randomblob(16), 1, 'soc', randomblob(20), 'k1', n, null from n;
    insert into shared_observations
      select randomblob(16), 'camara:one', randomblob(20), randomblob(16), n, null from n;
    commit`)
  database.close()
}

/** The format of a file in which no row is missing. */
function assertWhole(file: string): number {
  const database = new DatabaseSync(file)
  const first = (query: string): unknown => Object.values(database.prepare(query).get() ?? {})[0]
  const count = (table: string): unknown => first(`select count(*) from ${table}`)
  assert.equal(first("pragma integrity_check"), "ok")
  const format = Number(first("select value from meta where name = 'format'"))
  if (format === 6) {
    for (const table of ["evidence", "observations", "shared_observations"])
      assert.equal(count(table), ROWS)
  } else {
    assert.equal(count("feedback"), ROWS)
    assert.equal(count("evidence"), 2 * ROWS)
  }
  database.close()
  return format
}
