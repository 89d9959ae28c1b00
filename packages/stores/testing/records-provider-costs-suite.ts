import assert from "node:assert/strict"
import fc from "fast-check"

import type { ProviderSpend } from "../src/records-provider-costs.ts"
import { refusedAs, testsOnRecords, type Openings, type TestDatabase } from "./records-suite.ts"

const day = "2026-03-01"
const PLENTY = 1_000_000_000_000_000

function spend(tenantId: number, changes: Partial<ProviderSpend> = {}): ProviderSpend {
  return { tenantId, provider: "twilio", micros: 100, tenantCapMicros: PLENTY, ...changes }
}

async function twoTenants({ records }: Pick<Openings, "records">): Promise<[number, number]> {
  const tenant = { plan: "enterprise", at: 1, actor: "test" }
  const acme = await records.createTenant({ ...tenant, name: "Acme" })
  const other = await records.createTenant({ ...tenant, name: "Other" })
  return [acme.id, other.id]
}

/** What the records count of paid calls, and when they refuse one. */
export function recordsProviderCostsSuite(
  engine: string,
  newDatabase: () => Promise<TestDatabase>,
): void {
  const onRecords = testsOnRecords(engine, newDatabase)
  const onDay = { from: day, to: day }

  onRecords("what may be spent is counted by tenant and provider", async (openings) => {
    const { records } = openings
    const [acme, other] = await twoTenants(openings)
    const spends = [
      spend(other),
      spend(acme),
      spend(acme, { provider: "camara:north", micros: 7 }),
      spend(acme, { micros: 0 }),
    ]
    assert.deepEqual(await records.spendProviderCost(day, spends, PLENTY), [true, true, true, true])
    assert.deepEqual(await records.spendProviderCost(day, [spend(acme)], PLENTY), [true])
    assert.deepEqual(await records.spendProviderCost(day, [], 0), [])
    assert.deepEqual(await records.providerCosts(onDay), [
      { tenantId: acme, provider: "camara:north", calls: 1, micros: 7 },
      { tenantId: acme, provider: "twilio", calls: 3, micros: 200 },
      { tenantId: other, provider: "twilio", calls: 1, micros: 100 },
    ])
  })

  onRecords("a tenant spends up to its cap, and no other tenant pays for it", async (openings) => {
    const { records } = openings
    const [acme, other] = await twoTenants(openings)
    const capped = spend(acme, { tenantCapMicros: 250 })
    const spends = [capped, capped, capped, spend(other), { ...capped, micros: 50 }]
    assert.deepEqual(await records.spendProviderCost(day, spends, PLENTY), [
      ...[true, true, false],
      ...[true, true],
    ])
    assert.deepEqual(await records.spendProviderCost(day, [{ ...capped, micros: 1 }], PLENTY), [
      false,
    ])
    assert.deepEqual(await records.providerCosts(onDay), [
      { tenantId: acme, provider: "twilio", calls: 3, micros: 250 },
      { tenantId: other, provider: "twilio", calls: 1, micros: 100 },
    ])
  })

  onRecords("all tenants and providers together stay under the cap over all", async (openings) => {
    const { records } = openings
    const [acme, other] = await twoTenants(openings)
    const spends = [spend(acme), spend(other, { provider: "camara:north" }), spend(acme)]
    assert.deepEqual(await records.spendProviderCost(day, spends, 200), [true, true, false])
    assert.deepEqual(await records.spendProviderCost(day, [spend(other)], 200), [false])
    // The cap may change at a start; earlier spends count under the new one.
    assert.deepEqual(await records.spendProviderCost(day, [spend(other)], 299), [false])
    assert.deepEqual(await records.spendProviderCost(day, [spend(other)], 300), [true])
  })

  onRecords("a call that costs nothing is counted, also past a cap", async (openings) => {
    const { records } = openings
    const [acme] = await twoTenants(openings)
    await records.spendProviderCost(day, [spend(acme)], PLENTY)
    const free = spend(acme, { micros: 0, tenantCapMicros: 0 })
    assert.deepEqual(await records.spendProviderCost(day, [free, spend(acme)], 0), [true, false])
    assert.deepEqual(await records.providerCosts(onDay), [
      { tenantId: acme, provider: "twilio", calls: 2, micros: 100 },
    ])
  })

  onRecords("each day has its caps, and days are added up or forgotten", async (openings) => {
    const { records } = openings
    const [acme] = await twoTenants(openings)
    const days = ["2026-02-28", "2026-03-01", "2026-03-31", "2026-04-01"]
    for (const each of days) {
      assert.deepEqual(
        await records.spendProviderCost(each, [spend(acme), spend(acme)], 100),
        [true, false],
        each,
      )
    }
    const march = { from: "2026-03-01", to: "2026-03-31" }
    assert.deepEqual(await records.providerCosts(march), [
      { tenantId: acme, provider: "twilio", calls: 2, micros: 200 },
    ])
    assert.equal(await records.forgetProviderCosts("2026-03-31"), 2)
    assert.deepEqual(await records.providerCosts(march), [
      { tenantId: acme, provider: "twilio", calls: 1, micros: 100 },
    ])
    assert.deepEqual(await records.providerCosts({ from: "2026-02-01", to: "2026-02-31" }), [])
  })

  onRecords("the largest amounts are kept exactly", async (openings) => {
    const { records } = openings
    const [acme] = await twoTenants(openings)
    const most = spend(acme, { micros: PLENTY - 1 })
    const one = spend(acme, { micros: 1 })
    assert.deepEqual(await records.spendProviderCost(day, [most, one, one], PLENTY), [
      ...[true, true, false],
    ])
    assert.equal((await records.providerCosts(onDay))[0]?.micros, PLENTY)
  })

  onRecords("a tenant that does not exist spends nothing, nor does who is with it", async (o) => {
    const [acme, other] = await twoTenants(o)
    await assert.rejects(
      o.records.spendProviderCost(day, [spend(acme), spend(other + 1)], PLENTY),
      refusedAs("not-found"),
    )
    assert.deepEqual(await o.records.providerCosts(onDay), [])
  })

  onRecords("two openings that spend at once never pass a cap together", async (openings) => {
    const { open } = openings
    const [acme, other] = await twoTenants(openings)
    const [one, two] = await Promise.all([open(), open()])
    const attempts = Array.from({ length: 30 }, (_, n) => {
      const tenantId = n % 3 === 0 ? other : acme
      const capped = spend(tenantId, { tenantCapMicros: 900 })
      return (n % 2 === 0 ? one : two).spendProviderCost(day, [capped, capped], 1_500)
    })
    const allowed = (await Promise.all(attempts)).flat().filter(Boolean).length
    // Neither tenant alone can reach the cap over all, both can: all that fits is spent, and no
    // more.
    assert.equal(allowed, 15)
    const costs = await openings.records.providerCosts(onDay)
    for (const { micros } of costs) assert.ok(micros <= 900)
    assert.equal(sum(costs.map(({ micros }) => micros)), 1_500)
    assert.equal(sum(costs.map(({ calls }) => calls)), 15)
  })

  onRecords("whatever is spent, a spend is refused only if it would pass a cap", async (o) => {
    const tenants = await twoTenants(o)
    const openings = [o.records, await o.open()]
    const spends = fc.array(
      fc.record({
        tenant: fc.integer({ min: 0, max: 1 }),
        provider: fc.constantFrom("twilio", "camara:north"),
        micros: fc.integer({ min: 0, max: 60 }),
        tenantCapMicros: fc.integer({ min: 0, max: 200 }),
      }),
      { maxLength: 8 },
    )
    const rounds = fc.array(fc.record({ spends, cap: fc.integer({ min: 0, max: 300 }) }), {
      maxLength: 6,
    })
    let runs = 0
    await fc.assert(
      fc.asyncProperty(rounds, async (tried) => {
        const ownDay = `2026-03-01 ${++runs}`
        const model = [0, 0]
        let calls = 0
        for (const [round, { spends: wanted, cap }] of tried.entries()) {
          const records = openings[round % 2] ?? o.records
          const asked = wanted.map(({ tenant, ...rest }) => ({
            tenantId: tenants[tenant] ?? 0,
            ...rest,
          }))
          const expected = wanted.map(({ tenant, micros, tenantCapMicros }) => {
            const own = (model[tenant] ?? 0) + micros
            const fits = micros === 0 || (own <= tenantCapMicros && sum(model) + micros <= cap)
            if (fits) model[tenant] = own
            if (fits) calls++
            return fits
          })
          assert.deepEqual(await records.spendProviderCost(ownDay, asked, cap), expected)
        }
        const costs = await o.records.providerCosts({ from: ownDay, to: ownDay })
        assert.equal(sum(costs.map(({ micros }) => micros)), sum(model))
        assert.equal(sum(costs.map((cost) => cost.calls)), calls)
      }),
      { seed: 5, numRuns: 60 },
    )
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
