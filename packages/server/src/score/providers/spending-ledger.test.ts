import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import type { ProviderCostRecords } from "@assay/stores/records-provider-costs"
import { type Records, RecordsError } from "@assay/stores/records"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { openSpendingLedger } from "./spending-ledger.ts"
import type { Spend } from "./spending.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-spending-"))
after(() => rmSync(folder, { recursive: true }))

const noon = Date.UTC(2026, 2, 1, 12)
const march1 = { from: "2026-03-01", to: "2026-03-01" }
const march2 = { from: "2026-03-02", to: "2026-03-02" }

let files = 0
async function withTenant(): Promise<{ records: Records; spend: Spend }> {
  const records = await openSqliteRecords({
    file: join(folder, `${++files}.sqlite`),
    auditKey: new Uint8Array(32),
  })
  after(() => records.close())
  await records.migrate()
  const tenant = { name: "Acme", plan: "enterprise", at: noon, actor: "test" }
  const { id: tenantId } = await records.createTenant(tenant)
  return { records, spend: { tenantId, provider: "twilio", micros: 10, tenantCapMicros: 1_000 } }
}

type Write = ProviderCostRecords["spendProviderCost"]

test("the cap of a day is over at midnight UTC", async () => {
  const { records, spend } = await withTenant()
  let nowMs = Date.UTC(2026, 2, 1, 23, 59, 59, 999)
  const ledger = openSpendingLedger({ records, totalCapMicros: 20, now: () => nowMs })
  assert.equal(await ledger.spend(spend), true)
  assert.equal(await ledger.spend(spend), true)
  assert.equal(await ledger.spend(spend), false)
  nowMs++
  assert.equal(await ledger.spend(spend), true)
  assert.equal((await records.providerCosts(march1))[0]?.calls, 2)
  assert.equal((await records.providerCosts(march2))[0]?.calls, 1)
})

test("those who spend in one turn share a write, and so do those who come while it is under way", async () => {
  const { records, spend } = await withTenant()
  const { promise: gate, resolve: open } = Promise.withResolvers<undefined>()
  const sizes: number[] = []
  const spendProviderCost: Write = async (day, spends, cap) => {
    sizes.push(spends.length)
    await gate
    return await records.spendProviderCost(day, spends, cap)
  }
  const ledger = openSpendingLedger({
    records: { spendProviderCost },
    totalCapMicros: 50,
    now: () => noon,
  })
  const first = [1, 2, 3].map(() => ledger.spend(spend))
  await Promise.resolve()
  assert.deepEqual(sizes, [3])
  const second = [1, 2, 3, 4].map(() => ledger.spend(spend))
  open(undefined)
  assert.deepEqual(await Promise.all(first), [true, true, true])
  assert.deepEqual(await Promise.all(second), [true, true, false, false])
  assert.deepEqual(sizes, [3, 4])
})

test("more than one write takes are split, in the order they came", async () => {
  const { records, spend } = await withTenant()
  const sizes: number[] = []
  const spendProviderCost: Write = (day, spends, cap) => {
    sizes.push(spends.length)
    return records.spendProviderCost(day, spends, cap)
  }
  const ledger = openSpendingLedger({
    records: { spendProviderCost },
    totalCapMicros: 11_000,
    now: () => noon,
  })
  const plenty = { ...spend, tenantCapMicros: 1_000_000 }
  const allowed = await Promise.all(Array.from({ length: 1_200 }, () => ledger.spend(plenty)))
  assert.deepEqual(sizes, [1_000, 200])
  assert.equal(allowed.indexOf(false), 1_100)
  assert.equal(allowed.lastIndexOf(true), 1_099)
})

test("records that cannot be written allow nothing and do not pass for a cap; the next spend is tried", async () => {
  const { records, spend } = await withTenant()
  let away = true
  const spendProviderCost: Write = async (day, spends, cap) => {
    if (away) throw new RecordsError("unavailable", "The records cannot be reached")
    return await records.spendProviderCost(day, spends, cap)
  }
  const ledger = openSpendingLedger({
    records: { spendProviderCost },
    totalCapMicros: 1_000,
    now: () => noon,
  })
  const tried = await Promise.allSettled([ledger.spend(spend), ledger.spend(spend)])
  for (const outcome of tried) {
    assert.equal(outcome.status, "rejected")
    assert.ok(outcome.reason instanceof RecordsError)
  }
  assert.deepEqual(await records.providerCosts(march1), [])
  away = false
  assert.equal(await ledger.spend(spend), true)
})
