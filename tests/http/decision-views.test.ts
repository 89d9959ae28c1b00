import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import type {
  AuditList,
  DecisionView,
  DecisionViewList,
  ProblemDetails,
  ReviewViewList,
} from "@assay/core/contract"
import { createKey, invite } from "../cli/assay.ts"
import { filesWith, needlesOf } from "./search.ts"
import { type Service, startService } from "./service.ts"
import { type Answer, joins, signsIn, tokenIn, type Visitor } from "./signed-in.ts"
import { temporaryDirectory } from "./temporary.ts"

const PATH = "/api/v1/decisions/views"
const temporary = temporaryDirectory()

let service: Service
before(async () => {
  service = await startService({ args: ["--workers", "1"], dataDirectory: `${temporary}/data` })
})
after(() => service.stop())

/** A tenant with a key of every scope, and somebody of each role at a browser. */
async function newTenant(name: string): Promise<Record<"owner" | "analyst" | "viewer", Visitor>> {
  const member = async (role: string): Promise<Visitor> => {
    const link = await invite(service, "--tenant", name, "--role", role)
    return await joins(service, tokenIn(link), `${role}-of-${name}@people.example`)
  }
  return {
    owner: await member("owner"),
    analyst: await member("analyst"),
    viewer: await member("viewer"),
  }
}

const save = (by: Visitor, json: object): Promise<Answer<DecisionView & ProblemDetails>> =>
  by.send("POST", PATH, json)
const names = async (by: Visitor): Promise<string[]> =>
  (await by.send<DecisionViewList>("GET", PATH)).body.views.map(({ name }) => name)

test("a view is saved by one member, used by another and deleted by either, and nobody else sees it", async () => {
  const key = await createKey(
    service,
    "--tenant",
    "acme",
    "--plan",
    "enterprise",
    "--scopes",
    "all",
  )
  await createKey(service, "--tenant", "rival", "--plan", "enterprise")
  const { owner, analyst, viewer } = await newTenant("acme")
  const rival = (await newTenant("rival")).owner

  const filter = { subject: "email", band: "high", from: "2026-03-01T00:00:00Z" } as const
  const shared = await save(analyst, { name: "High ones", shared: true, filter })
  const { id } = shared.body
  assert.deepEqual(
    [shared.status, shared.body],
    [200, { id, name: "High ones", shared: true, filter }],
  )
  assert.match(id, /^view_[0-9a-f]{16}$/)
  const own = await save(analyst, { name: "Mine", filter: {} })
  assert.equal(own.body.shared, false)
  assert.deepEqual(await names(analyst), ["High ones", "Mine"])
  assert.deepEqual(await names(viewer), ["High ones"])
  assert.deepEqual(await names(rival), [])
  // The same name again is the same view.
  const again = await save(owner, { name: "High ones", shared: true, filter: { band: "critical" } })
  assert.equal(again.body.id, id)
  const { views } = (await viewer.send<DecisionViewList>("GET", PATH)).body
  assert.deepEqual(views, [{ id, name: "High ones", shared: true, filter: { band: "critical" } }])
  // None of it is a view of reviews.
  const reviews = await owner.send<ReviewViewList>("GET", "/api/v1/review/views")
  assert.deepEqual(reviews.body, { views: [] })

  const remove = async (by: Visitor, of: string): Promise<[number, string | undefined]> => {
    const { status, body } = await by.send("DELETE", `${PATH}/${of}`)
    return [status, body.code]
  }
  assert.deepEqual(await remove(viewer, id), [403, "insufficient-role"])
  assert.deepEqual(await remove(rival, id), [404, "view-not-found"])
  assert.deepEqual(await remove(owner, own.body.id), [404, "view-not-found"])
  const ofReviews = await owner.send("DELETE", `/api/v1/review/views/${id}`)
  assert.equal(ofReviews.status, 404)
  assert.deepEqual(await remove(owner, id), [204, undefined])
  assert.deepEqual(await names(analyst), ["Mine"])

  // A key that reads decisions reads the shared ones, and writes none.
  const read = await service.request(PATH, { key })
  assert.deepEqual([read.status, await read.json()], [200, { views: [] }])
  const written = await service.request(PATH, { key, json: { name: "By a key", filter: {} } })
  assert.equal(written.status, 403)

  const { body } = await owner.send<AuditList>("GET", "/api/v1/audit?limit=20")
  const noted = body.entries.filter(({ action }) => action.startsWith("decision-view."))
  assert.deepEqual(
    noted.map(({ action, detail }) => [action, detail]),
    [
      ["decision-view.delete", { view: id }],
      ["decision-view.save", { view: id, shared: true }],
      ["decision-view.save", { view: own.body.id, shared: false }],
      ["decision-view.save", { view: id, shared: true }],
    ],
  )
})

test("a viewer saves none, and what names somebody or is no filter of the list is refused and not stored", async () => {
  await createKey(service, "--tenant", "strict", "--plan", "enterprise")
  const { analyst, viewer } = await newTenant("strict")
  const refused = await save(viewer, { name: "High", filter: { band: "high" } })
  assert.deepEqual([refused.status, refused.body.code], [403, "insufficient-role"])
  const canary = "zqviewcanary"
  for (const [json, pointer] of [
    [{ name: `of ${canary}@mail.example`, filter: {} }, "#/name"],
    [{ name: `${canary} +44 7400 123456`, filter: {} }, "#/name"],
    [{ name: canary, filter: { email: "ana@mail.example" } }, "#/filter"],
    [{ name: canary, filter: { before: "dec_01kjmma2g00000000000000000" } }, "#/filter"],
    [{ name: canary, filter: { request_id: "447400123456" } }, "#/filter"],
    [{ name: canary, filter: { from: "ana@mail.example" } }, "#/filter/from"],
    [{ name: canary, filter: { until: "2026-02-30T00:00:00Z" } }, "#/filter/until"],
    [{ name: canary, filter: { band: "worst" } }, "#/filter/band"],
    [{ name: canary, filter: { unknown: "x" } }, "#/filter"],
  ] as const) {
    const { status, body } = await save(analyst, json)
    assert.deepEqual([status, body.errors?.[0]?.pointer], [400, pointer], JSON.stringify(body))
  }
  assert.deepEqual(await names(analyst), [])
  assert.deepEqual(filesWith(temporary, needlesOf([canary])), [])
})

test("a tenant has at most a hundred views of decisions, and they outlive the service", async () => {
  await createKey(service, "--tenant", "many", "--plan", "enterprise")
  const { analyst } = await newTenant("many")
  for (let n = 0; n < 100; n++) {
    const { status, body } = await save(analyst, { name: `View ${n}`, shared: true, filter: {} })
    assert.equal(status, 200, JSON.stringify(body))
  }
  const over = await save(analyst, { name: "One more", filter: {} })
  assert.deepEqual([over.status, over.body.code], [409, "too-many-views"])
  assert.equal((await save(analyst, { name: "View 7", shared: true, filter: {} })).status, 200)
  // Reviews have as many of their own.
  const ofReviews = { name: "One more", filter: {} }
  assert.equal((await analyst.send("POST", "/api/v1/review/views", ofReviews)).status, 200)

  const { dataDirectory } = service
  await service.kill()
  service = await startService({ args: ["--workers", "1"], dataDirectory })
  const back = await signsIn(service, "analyst-of-many@people.example")
  assert.equal((await names(back)).length, 100)
})
