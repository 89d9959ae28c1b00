import assert from "node:assert/strict"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { DAY_MS } from "@assay/runtime/time"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import {
  NETWORK_SIGN_UPS,
  openSignUpsADay,
  SERVICE_SIGN_UPS,
  sharedSignUpsADay,
  type SignUpsADay,
} from "./sign-ups-a-day.ts"

const START = Date.UTC(2026, 10, 17, 12)

test("a network has a few sign-ups a day, and others have theirs", async () => {
  let nowMs = START
  const days = openSignUpsADay(() => nowMs)
  for (let n = 1; n <= NETWORK_SIGN_UPS; n++) assert.equal(await days.admit("c00002"), true)
  assert.equal(await days.admit("c00002"), false)
  assert.equal(await days.admit("c63364"), true)
  nowMs += DAY_MS
  assert.equal(await days.admit("c00002"), true)
})

test("the service has a bound of its own, also for networks that are not known", async () => {
  const days = openSignUpsADay(() => START)
  for (let n = 0; n < SERVICE_SIGN_UPS; n++) assert.equal(await days.admit(null), true)
  assert.equal(await days.admit(null), false)
  assert.equal(await days.admit("cb0071"), false)
})

test("nodes that share the records count together, and keep no network's name", async () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-"))
  after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, "records.sqlite")
  const subkey = new Uint8Array(32).fill(7)
  const records = await openSqliteRecords({ file, auditKey: subkey })
  after(() => records.close())
  await records.migrate()
  let nowMs = START
  const node = (aheadMs: number): SignUpsADay =>
    sharedSignUpsADay({ records, subkey, now: () => nowMs + aheadMs })
  const nodes = [node(0), node(0), node(10 * 60_000)]
  const admitted = async (network: string | null, count: number): Promise<number> => {
    const asked = Array.from({ length: count }, (_, n) =>
      (nodes[n % 3] ?? assert.fail()).admit(network),
    )
    return (await Promise.all(asked)).filter(Boolean).length
  }
  assert.equal(await admitted("c00002", 20), NETWORK_SIGN_UPS)
  assert.equal(await admitted("c63364", 1), 1)
  assert.equal(await admitted(null, SERVICE_SIGN_UPS), SERVICE_SIGN_UPS - NETWORK_SIGN_UPS - 1)
  assert.equal(await admitted("cb0071", 3), 0)
  nowMs += DAY_MS
  assert.equal(await admitted("c00002", 20), NETWORK_SIGN_UPS)
  for (const each of readdirSync(folder))
    assert.equal(readFileSync(join(folder, each)).includes("c00002"), false)
})
