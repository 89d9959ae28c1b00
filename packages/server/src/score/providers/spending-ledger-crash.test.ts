import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { test } from "node:test"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { openSpendingLedger } from "./spending-ledger.ts"
import { sourceArguments } from "@assay/stores/testing/source-process"

const noon = Date.UTC(2026, 2, 1, 12)
const march1 = { from: "2026-03-01", to: "2026-03-01" }
/** Spends waiting at the same time, as from several requests. */
const TOGETHER = 4
const CAP = 100_000

// Run by the test below as the process to be killed: `node spending-ledger-crash.test.ts spend FILE
// TENANT`.
const [, , verb, file = "", tenant = ""] = process.argv
if (verb === "spend") await spendOn(file, Number(tenant))
else {
  const kills = process.env["ASSAY_SOAK"] ? 40 : 2
  test(`${kills} times kill -9: every call that was allowed is on disk`, () => survive(kills))
}

/** Prints a line for each spend once it is allowed: from then on a call could have been made. */
async function spendOn(path: string, tenantId: number): Promise<void> {
  const records = await openSqliteRecords({ file: path, auditKey: new Uint8Array(32) })
  const ledger = openSpendingLedger({ records, totalCapMicros: CAP, now: () => noon })
  const spend = { tenantId, provider: "twilio", micros: 1, tenantCapMicros: CAP }
  const keepSpending = async (): Promise<void> => {
    while (await ledger.spend(spend)) process.stdout.write("allowed\n")
  }
  await Promise.all(Array.from({ length: TOGETHER }, keepSpending))
}

async function survive(kills: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "assay-spending-"))
  const path = join(folder, "records.sqlite")
  const records = await openSqliteRecords({ file: path, auditKey: new Uint8Array(32) })
  try {
    await records.migrate()
    const { id } = await records.createTenant({ name: "Acme", plan: "free", at: 1, actor: "test" })
    let allowed = 0
    for (let run = 1; run <= kills; run++) {
      allowed += await killedSpender(path, id, run * 7)
      const [cost] = await records.providerCosts(march1)
      assert.ok(cost !== undefined && cost.calls >= allowed, `${allowed} allowed`)
      assert.equal(cost.calls, cost.micros)
      // A spend being written when the process was killed may be counted though it was not allowed.
      assert.ok(cost.calls <= allowed + run * TOGETHER)
    }
  } finally {
    await records.close()
    rmSync(folder, { recursive: true })
  }
}

/**
 * How many spends a process was allowed before it was killed, some time after its first `lines`.
 */
async function killedSpender(path: string, tenantId: number, lines: number): Promise<number> {
  const args = [...sourceArguments, import.meta.filename, "spend", path, String(tenantId)]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const exited = once(child, "exit")
  let allowed = 0
  for await (const line of createInterface(child.stdout)) {
    assert.equal(line, "allowed")
    if (++allowed === lines) child.kill("SIGKILL")
  }
  assert.deepEqual(await exited, [null, "SIGKILL"])
  return allowed
}
