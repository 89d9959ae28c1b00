import assert from "node:assert/strict"

import { VIEWS_MAX, type SavedView, type ViewedList } from "../src/records-views.ts"
import { tenants } from "./records-feedback-suite.ts"
import { refusedAs, testsOnRecords, type TestDatabase } from "./records-suite.ts"

const at = Date.UTC(2026, 2, 1, 12)
const actor = "key:k1"
const filter = { action: "block" }

/** Filters under names, of either list. */
export function recordsViewsSuite(engine: string, newDatabase: () => Promise<TestDatabase>): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  for (const list of ["reviews", "decisions"] as const)
    onRecords(`views of ${list} are somebody's own or the tenant's`, async (openings) => {
      const { records } = openings
      const { acme, other } = await tenants(openings)
      const { tenantId } = acme
      const save = (id: string, name: string, shared: boolean, by = actor): Promise<SavedView> =>
        records.saveView({ id, tenantId, list, name, shared, filter, at, actor: by })
      await save("view_1", "Blocked", false)
      await save("view_2", "All", true)
      await save("view_3", "Blocked", false, "key:k2")
      // The same name again is the same view.
      assert.deepEqual(await save("view_4", "Blocked", false), {
        ...{ id: "view_1", tenantId, list, owner: actor, name: "Blocked", filter, savedAt: at },
      })
      const seen = async (owner: string, of = tenantId): Promise<string[]> =>
        (await records.views({ tenantId: of, list, owner })).map(({ id }) => id)
      assert.deepEqual(await seen(actor), ["view_2", "view_1"])
      assert.deepEqual(await seen("key:k2"), ["view_2", "view_3"])
      assert.deepEqual(await seen(actor, other.tenantId), [])
      const deletion = { tenantId, list, at, actor }
      assert.equal(await records.deleteView({ ...deletion, id: "view_3" }), false)
      const elsewhere = { ...deletion, tenantId: other.tenantId, id: "view_1" }
      assert.equal(await records.deleteView(elsewhere), false)
      assert.equal(await records.deleteView({ ...deletion, id: "view_1" }), true)
      assert.equal(await records.deleteView({ ...deletion, id: "view_1" }), false)
      assert.deepEqual(await seen(actor), ["view_2"])
      for (let n = 2; n < VIEWS_MAX; n++) await save(`view_n${n}`, `View ${n}`, true)
      await assert.rejects(save("view_over", "One more", true), refusedAs("name-taken"))
      assert.equal((await seen(actor)).length, VIEWS_MAX - 1)
    })

  onRecords("views of one list are none of the other, and are noted apart", async (openings) => {
    const { records } = openings
    const { tenantId } = (await tenants(openings)).acme
    const save = (id: string, list: ViewedList): Promise<SavedView> =>
      records.saveView({ id, tenantId, list, name: "Same", shared: true, filter, at, actor })
    await save("view_1", "reviews")
    // Under a name that the other list has too, and with a limit of its own.
    assert.equal((await save("view_2", "decisions")).id, "view_2")
    const seen = async (list: ViewedList): Promise<string[]> =>
      (await records.views({ tenantId, list, owner: actor })).map(({ id }) => id)
    assert.deepEqual([await seen("reviews"), await seen("decisions")], [["view_1"], ["view_2"]])
    const deletion = { tenantId, id: "view_2", at, actor }
    assert.equal(await records.deleteView({ ...deletion, list: "reviews" }), false)
    assert.equal(await records.deleteView({ ...deletion, list: "decisions" }), true)
    assert.deepEqual([await seen("reviews"), await seen("decisions")], [["view_1"], []])
    const noted = await records.audit({ limit: 3, tenantId })
    assert.deepEqual(
      noted.map(({ action, subject, detail }) => [action, subject, detail]),
      [
        ["decision-view.delete", `tenant:${tenantId}`, { view: "view_2" }],
        ["decision-view.save", `tenant:${tenantId}`, { view: "view_2", shared: true }],
        ["review-view.save", `tenant:${tenantId}`, { view: "view_1", shared: true }],
      ],
    )
  })
}
