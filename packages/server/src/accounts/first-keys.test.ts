import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { openSecrets } from "@assay/runtime/secrets"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { hashApiKey, hintOf, mintApiKey } from "./api-key.ts"
import { mintFirstKeys } from "./first-keys.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-first-keys-"))
after(() => rmSync(folder, { recursive: true }))
const secrets = openSecrets(join(folder, "secret"), true)

test("a preset key is made where there is none but those of a demo, and never comes back", async () => {
  const file = join(folder, "records.sqlite")
  const records = await openSqliteRecords({ file, auditKey: secrets.subkeys.audit })
  await records.migrate()
  const bootstrapKey = mintApiKey()
  const start = (production: boolean): Promise<string | null> =>
    mintFirstKeys(
      records,
      { production, bootstrapKey: production ? bootstrapKey : null },
      secrets,
      1,
    )
  const labels = async (): Promise<string[]> => (await records.keys()).map(({ label }) => label)

  assert.notEqual(await start(false), null)
  assert.notEqual(await start(false), null)
  assert.deepEqual((await labels()).toSorted(), ["demo", "demo page"])
  assert.equal(await start(true), null)
  assert.deepEqual((await labels()).toSorted(), ["bootstrap", "demo", "demo page"])
  await records.close()
})

test("a key of somebody's own counts, whatever it is called", async () => {
  const file = join(folder, "own.sqlite")
  const records = await openSqliteRecords({ file, auditKey: secrets.subkeys.audit })
  await records.migrate()
  const by = { at: 1, actor: "test" }
  const { id: tenantId } = await records.createTenant({ name: "shop", plan: "free", ...by })
  const own = mintApiKey()
  const rest = { hash: hashApiKey(own), hint: hintOf(own), scopes: [], expiresAt: null, ...by }
  await records.createKey({ id: "key_own", tenantId, label: "demonstration", ...rest })
  await mintFirstKeys(records, { production: true, bootstrapKey: mintApiKey() }, secrets, 1)
  assert.deepEqual(
    (await records.keys()).map(({ id }) => id),
    ["key_own"],
  )
  await records.close()
})
