import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { Kysely, sql } from "kysely"
import { openDatabase } from "./database.ts"
import { nodeSqliteDialect } from "./dialect.ts"
import { unsynced } from "./unsynced.ts"

const NORMAL = 1
const FULL = 2

test("only the transaction itself is not synced, whether it succeeds or fails", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "assay-unsynced-"))
  const database = await openDatabase(join(folder, "records.sqlite"), false)
  const db = new Kysely<object>({ dialect: nodeSqliteDialect(database) })
  t.after(async () => {
    await db.destroy()
    rmSync(folder, { recursive: true })
  })
  const synchronous = async (on: Kysely<object>): Promise<number | undefined> =>
    (await sql<{ synchronous: number }>`pragma synchronous`.execute(on)).rows[0]?.synchronous

  assert.equal(await synchronous(db), FULL)
  assert.equal(await unsynced(db, synchronous), NORMAL)
  assert.equal(await synchronous(db), FULL)
  await assert.rejects(
    unsynced(db, async () => Promise.reject(new Error("away"))),
    /away/,
  )
  assert.equal(await synchronous(db), FULL)
})
