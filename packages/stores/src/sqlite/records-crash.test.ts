import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { test } from "node:test"

import { newKey } from "../../testing/records-suite.ts"
import { auditKey } from "../../testing/audit-key.ts"
import { verifyAudit } from "../audit-verify.ts"
import { openSqliteRecords } from "./records.ts"
import { sourceArguments } from "../../testing/source-process.ts"

// Run by the test below as the process to be killed: `node records-crash.test.ts write FILE RUN`.
const [, , verb, file = "", run = ""] = process.argv
if (verb === "write") await writeKeys(file, run)
else {
  const kills = process.env["ASSAY_SOAK"] ? 50 : 3
  test(
    `sqlite: ${kills} times kill -9 lose no acknowledged key or policy and tear none`,
    survive(kills),
  )
}

/** Prints each key's id once the store has acknowledged it. */
async function writeKeys(file: string, run: string): Promise<never> {
  const records = await openSqliteRecords({ file, auditKey })
  await records.migrate()
  const [at, actor] = [Date.UTC(2026, 2, 1), "test"]
  const acme =
    (await records.tenantByName("Acme")) ??
    (await records.createTenant({ name: "Acme", plan: "free", at, actor }))
  for (let made = 0; ; made++) {
    const id = `run ${run} key ${made}`
    await records.createKey(newKey(id))
    await records.setTenantSettings({ tenantId: acme.id, settings: { id }, at, actor })
    process.stdout.write(`${id}\n`)
  }
}

function survive(kills: number): () => Promise<void> {
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), "assay-crash-"))
    const file = join(folder, "records.db")
    try {
      const acknowledged: string[] = []
      for (let run = 0; run < kills; run++) {
        const ids = await killedWriter(file, run)
        assert.notEqual(ids.length, 0)
        acknowledged.push(...ids)
        await assertWhole(file, acknowledged)
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  }
}

/** Returns the ids a writer acknowledged before it was killed, at a random moment of its work. */
async function killedWriter(file: string, run: number): Promise<string[]> {
  const args = [...sourceArguments, import.meta.filename, "write", file, String(run)]
  const writer = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const exited = once(writer, "exit")
  const ids: string[] = []
  for await (const id of createInterface(writer.stdout)) {
    if (ids.push(id) === 1) setTimeout(() => writer.kill("SIGKILL"), Math.random() * 250)
  }
  assert.deepEqual(await exited, [null, "SIGKILL"])
  return ids
}

async function assertWhole(file: string, acknowledged: readonly string[]): Promise<void> {
  const database = new DatabaseSync(file)
  assert.deepEqual(
    database
      .prepare("pragma integrity_check")
      .all()
      .map((row) => row["integrity_check"]),
    ["ok"],
  )
  database.close()

  const records = await openSqliteRecords({ file, auditKey })
  const present = new Set((await records.keys()).map(({ id }) => id))
  assert.deepEqual(
    acknowledged.filter((id) => !present.has(id)),
    [],
  )
  const [acme] = await records.tenants()
  const policies = await records.policies({ tenantId: acme?.id ?? 0, limit: 1_000_000 })
  const kept = new Set(policies.map(({ settings }) => settings["id"]))
  assert.deepEqual(
    acknowledged.filter((id) => !kept.has(id)),
    [],
  )
  // The newest version is what acts, and none is left out: one for each change there was.
  assert.deepEqual(acme?.settings, policies[0]?.settings)
  assert.equal(policies[0]?.version, policies.length)
  // Key or policy, version and audit entry are one transaction: a kill leaves all of it or none.
  const changes = present.size + policies.length
  assert.equal(await records.accountsVersion(), changes)
  assert.equal((await records.audit({ limit: changes + 1 })).length, changes)
  const { faults, rows, last } = await verifyAudit(records, auditKey, [])
  assert.deepEqual({ faults, rows, last }, { faults: [], rows: changes, last: changes })
  await records.close()
}
