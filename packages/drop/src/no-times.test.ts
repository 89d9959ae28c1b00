import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { after, test } from "node:test"
import { bring } from "../testing/store/drops-suite.ts"
import { openSqliteDrops } from "./store/sqlite-drops.ts"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { formToken, openFormTokens } from "./form-tokens.ts"
import { openSpent } from "./spent.ts"

const root = mkdtempSync(join(tmpdir(), "assay-no-times-"))
after(() => rmSync(root, { recursive: true }))

/**
 * Everything in the file that is not random, after a message that came without JavaScript at this
 * time of a day.
 */
async function leftOf(atMs: number): Promise<unknown[]> {
  const folder = mkdtempSync(join(root, "drop-"))
  const drops = await openSqliteDrops(folder, { fuzz: () => 3 })
  const secret = await drops.signingSecret()
  const now = (): number => atMs
  const tokens = openFormTokens({ secret, spent: openSpent({ now }), now })
  assert.equal(tokens.spend(formToken(secret, atMs - 60_000)), "ok")
  await bring(drops, randomBytes(70_000))
  await drops.close()
  const database = new DatabaseSync(join(folder, "drops.sqlite"), { readOnly: true })
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all()
  const values = tables.flatMap(({ name }) =>
    database
      .prepare(`select * from ${String(name)}`)
      .all()
      .flatMap((row) => Object.entries(row).filter(([, value]) => !(value instanceof Uint8Array))),
  )
  database.close()
  return values
}

test("T31: no row tells the hour at which a message without JavaScript came", async () => {
  const day = 20_000 * DAY_MS
  assert.deepEqual(await leftOf(day + 3 * HOUR_MS), await leftOf(day + 17 * HOUR_MS))
})
