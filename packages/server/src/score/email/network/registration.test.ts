import assert from "node:assert/strict"
import { after, suite, test } from "node:test"
import { gzipSync } from "node:zlib"
import { LookupFailure } from "./lookup-failure.ts"
import { openRegistry, registrationOf } from "./registration.ts"
import {
  documented,
  dripping,
  failing,
  openTestRegistry,
  redirecting,
  registeredOn,
  saying,
  silent,
} from "../../../../testing/score/email/network/test-registry.ts"

const HUGE = JSON.stringify({ objectClassName: "domain", notices: "x".repeat(300 * 1024) })

suite("registration dates, by a real registry", async () => {
  const elsewhere = await openTestRegistry({ "abroad.example": registeredOn("2021-02-03") })
  const registry = await openTestRegistry({
    "old.example": registeredOn("1999-12-31T23:30:00-01:00"),
    "undated.example": documented({ objectClassName: "domain" }),
    "busy.example": failing(429),
    "down.example": failing(500),
    "forbidden.example": failing(403),
    "foreign.example": failing(400),
    "no-json.example": saying("<html>"),
    "empty.example": saying(""),
    "other.example": documented({ objectClassName: "entity", events: [] }),
    "bad-date.example": registeredOn("yesterday"),
    "huge.example": saying(HUGE),
    "packed.example": saying(gzipSync(HUGE), { "content-encoding": "gzip" }),
    "silent.example": silent,
    "drip.example": dripping,
    "moved.example": redirecting("/domain/old.example"),
    "loop.example": redirecting("/domain/loop.example"),
    "abroad.example": redirecting(`${elsewhere.url}domain/abroad.example`),
    "nowhere-to.example": failing(302),
    "outside.example": redirecting("http://rdap.invalid/domain/outside.example"),
  })
  const asking = openRegistry({ url: registry.url, redirectsAbroad: false })
  const abroad = openRegistry({ url: registry.url, redirectsAbroad: true })
  const hasty = openRegistry({ url: registry.url, redirectsAbroad: false, requestMs: 200 })
  after(() => {
    for (const each of [asking, abroad, hasty]) each.close()
  })

  test("the date is the UTC date of the registration event", async () => {
    const found = await asking.registration("old.example")
    assert.deepEqual(found, { status: "answered", date: "2000-01-01" })
  })

  test("nothing goes out but the domain: no cookie, no name of a user, no referrer", async () => {
    await asking.registration("old.example")
    const { path, headers } = registry.asked.at(-1) ?? { path: "", headers: {} }
    assert.equal(path, "/domain/old.example")
    assert.equal(headers["accept"], "application/rdap+json")
    assert.equal(headers["user-agent"], "assay")
    for (const field of ["cookie", "authorization", "referer", "from", "x-request-id"])
      assert.ok(!(field in headers), field)
  })

  test("a domain the registry does not know, or gives no date for, is answered without a date", async () => {
    for (const domain of ["unknown.example", "undated.example"])
      assert.deepEqual(await asking.registration(domain), { status: "answered", date: null })
  })

  for (const domain of [
    "busy.example",
    "down.example",
    "forbidden.example",
    "no-json.example",
    "empty.example",
    "other.example",
    "bad-date.example",
    "huge.example",
    "packed.example",
    "loop.example",
    "abroad.example",
    "nowhere-to.example",
    "outside.example",
  ]) {
    test(`no usable answer is a failure that names nothing: ${domain}`, async () => {
      await assert.rejects(asking.registration(domain), (error) => {
        assert.ok(error instanceof LookupFailure)
        assert.equal(error.fault, "provider")
        assert.doesNotMatch(`${error.message} ${error.stack}`, /\.example/)
        assert.equal(error.cause, undefined)
        return true
      })
    })
  }

  for (const domain of ["silent.example", "drip.example"]) {
    test(`a registry that does not come to an end is a failure when its time is over: ${domain}`, async () => {
      await assert.rejects(hasty.registration(domain), { fault: "provider" })
    })
  }

  test("a registry without such names is a failure of the name alone", async () => {
    await assert.rejects(asking.registration("foreign.example"), { fault: "name" })
  })

  test("a redirect is followed on the same host, at most three times, and abroad only where allowed", async () => {
    const { date } = await asking.registration("moved.example")
    assert.equal(date, "2000-01-01")
    const before = registry.asked.length
    await assert.rejects(asking.registration("loop.example"), LookupFailure)
    assert.equal(registry.asked.length - before, 4)
    await assert.rejects(asking.registration("abroad.example"), LookupFailure)
    assert.equal(elsewhere.asked.length, 0)
    assert.equal((await abroad.registration("abroad.example")).date, "2021-02-03")
    assert.equal(elsewhere.asked.length, 1)
    await assert.rejects(abroad.registration("outside.example"), LookupFailure)
  })

  test("closing ends a question under way, and later ones, as failures", async () => {
    const closing = openRegistry({ url: registry.url, redirectsAbroad: false, requestMs: 600_000 })
    const asked = closing.registration("silent.example")
    closing.close()
    await assert.rejects(asked, LookupFailure)
    const before = registry.asked.length
    await assert.rejects(closing.registration("old.example"), LookupFailure)
    assert.equal(registry.asked.length, before)
  })

  test("a registry that is not there is a failure of the provider", async () => {
    const gone = await openTestRegistry({})
    gone.close()
    const nobody = openRegistry({ url: gone.url, redirectsAbroad: false })
    await assert.rejects(nobody.registration("old.example"), { fault: "provider" })
    await assert.rejects(nobody.ping(), { fault: "provider" })
    await asking.ping()
  })
})

test("dates are read with a zone, without one as UTC, and alone; nothing else is a date", () => {
  const dateOf = (eventDate: unknown): string | null =>
    registrationOf({
      objectClassName: "domain",
      events: [{ eventAction: "registration", eventDate }],
    }).date
  for (const [text, date] of [
    ["2020-05-06T07:08:09Z", "2020-05-06"],
    ["2020-05-06t23:30:00.123456-02:00", "2020-05-07"],
    ["2020-05-06 07:08:09", "2020-05-06"],
    ["2020-05-06", "2020-05-06"],
  ] as const)
    assert.equal(dateOf(text), date, text)
  for (const wrong of [
    "2020-13-01",
    "2020-05-06T25:00:00Z",
    "6 May 2020",
    "",
    null,
    1588748889,
    {},
  ])
    assert.throws(() => dateOf(wrong), LookupFailure, JSON.stringify(wrong))
  for (const wrong of [null, [], "domain", { objectClassName: "domain", events: {} }])
    assert.throws(() => registrationOf(wrong), LookupFailure, JSON.stringify(wrong))
})
