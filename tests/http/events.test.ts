import assert from "node:assert/strict"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { type EventList, EVENT_DAYS } from "@assay/core/contract"
import { openSecrets } from "../../packages/runtime/src/secrets.ts"
import { DAY_MS } from "../../packages/runtime/src/time.ts"
import { openSealedIdentities } from "../../packages/server/src/accounts/sealed-identity.ts"
import { openCursors } from "../../packages/server/src/intake/event-cursor.ts"
import { eventId } from "../../packages/stores/src/event-id.ts"
import type { NewEvent } from "../../packages/stores/src/records-events.ts"
import type { Records } from "../../packages/stores/src/records.ts"
import { assay } from "../cli/assay.ts"
import { openRecordsOf } from "./records-of.ts"
import { type Service, startService } from "./service.ts"

let service: Service
let records: Records
before(async () => {
  service = await startService({ args: ["--workers", "1"] })
  records = await openRecordsOf(service.dataDirectory)
})
after(async () => {
  await records.close()
  await service.stop()
})

interface Owner {
  readonly tenantId: number | null
  readonly key: string
}

async function newTenant(name: string): Promise<Owner> {
  const args = ["--tenant", name, "--plan", "enterprise", "--scopes", "events:read"]
  const key = await made([...args])
  const tenant = await records.tenantByName(name)
  return { tenantId: tenant?.id ?? 0, key }
}

async function made(args: readonly string[]): Promise<string> {
  const { code, out, err } = await assay(["keys", "create", ...args], {
    ASSAY_DATA: service.dataDirectory,
    PORT: String(service.port),
  })
  assert.equal(code, 0, err)
  return out.trim()
}

function event({ tenantId }: Owner, n: number, changes: Partial<NewEvent> = {}): NewEvent {
  return {
    id: eventId(),
    tenantId,
    kind: "exposure.added",
    at: Date.now(),
    ref: null,
    identityKey: null,
    sealed: null,
    data: { n },
    ...changes,
  }
}

async function ask({ key }: Owner, query = "", signal?: AbortSignal): Promise<Response> {
  return await service.request(`/api/v1/events${query}`, { key, ...(signal && { signal }) })
}

async function page(owner: Owner, query = ""): Promise<EventList> {
  const answer = await ask(owner, query)
  assert.equal(answer.status, 200, await answer.clone().text())
  return (await answer.json()) as EventList
}

const numbers = ({ events }: EventList): unknown[] => events.map(({ data }) => data["n"])

/** Without those of making the keys of these tests. */
const OWN = "types=exposure.added,risk.email.changed"

test("events are read forward in order, page by page, and later ones from there on", async () => {
  const owner = await newTenant("forward")
  const five = [1, 2, 3, 4, 5].map((n) => event(owner, n))
  await records.addEvents(five)
  const first = await page(owner, `?${OWN}&limit=2`)
  assert.deepEqual(first.events[0], {
    id: five[0]?.id,
    type: "exposure.added",
    timestamp: new Date(five[0]?.at ?? 0).toISOString(),
    data: { n: 1 },
  })
  const second = await page(owner, `?${OWN}&limit=2&after=${first.next}`)
  const third = await page(owner, `?${OWN}&limit=2&after=${second.next}`)
  const fourth = await page(owner, `?${OWN}&limit=2&after=${third.next}`)
  assert.deepEqual([first, second, third, fourth].map(numbers), [[1, 2], [3, 4], [5], []])
  await records.addEvents([event(owner, 6), event(owner, 7, { kind: "risk.email.changed" })])
  assert.deepEqual(numbers(await page(owner, `?after=${fourth.next}`)), [6, 7])
  // The same page again, as after a crash of the reader.
  assert.deepEqual(numbers(await page(owner, `?${OWN}&limit=2&after=${first.next}`)), [3, 4])
  const changes = await page(owner, "?types=risk.email.changed")
  assert.deepEqual(numbers(changes), [7])
  assert.deepEqual((await page(owner, `?after=${changes.next}`)).events, [])
  const latest = await page(owner, "?after=latest")
  assert.deepEqual(latest.events, [])
  await records.addEvents([event(owner, 8)])
  assert.deepEqual(numbers(await page(owner, `?after=${latest.next}`)), [8])
})

test("the newest events are answered without a cursor, and each by its id", async () => {
  const [owner, other] = [await newTenant("newest"), await newTenant("newest-other")]
  const four = [1, 2, 3, 4].map((n) => event(owner, n, n === 4 ? { kind: "key.created" } : {}))
  await records.addEvents(four)
  assert.deepEqual(numbers(await page(owner, "?last=2")), [3, 4])
  const newest = await page(owner, `?${OWN}&last=2`)
  assert.deepEqual(numbers(newest), [2, 3])
  // Its cursor goes on behind all there is, what was not asked for included.
  assert.deepEqual((await page(owner, `?after=${newest.next}`)).events, [])
  await records.addEvents([event(owner, 5)])
  assert.deepEqual(numbers(await page(owner, `?after=${newest.next}`)), [5])
  const both = await ask(owner, `?last=2&after=${newest.next}`)
  assert.equal(((await both.json()) as { code: string }).code, "invalid-request")
  for (const last of ["0", "101", "x"])
    assert.equal((await ask(owner, `?last=${last}`)).status, 400, last)

  const one = await service.request(`/api/v1/events/${four[0]?.id}`, { key: owner.key })
  assert.deepEqual([one.status, await one.json()], [200, (await page(owner, `?${OWN}`)).events[0]])
  for (const [key, id] of [
    [other.key, four[0]?.id],
    [owner.key, "evt_0"],
  ]) {
    const none = await service.request(`/api/v1/events/${id}`, { key: key ?? null })
    assert.equal(none.status, 404)
    assert.equal(((await none.json()) as { code: string }).code, "event-not-found")
  }
})

test("an event belongs to its owner: no tenant sees another's or the service's", async () => {
  const [mine, other] = [await newTenant("mine"), await newTenant("other")]
  const scopes = ["--service", "--scopes", "events:admin", "--expires", "1d"]
  const ofService = { tenantId: null, key: await made(scopes) }
  await records.addEvents([
    event(mine, 1),
    event(other, 2),
    event(ofService, 3, { kind: "import.finished" }),
  ])
  assert.deepEqual(numbers(await page(mine, `?${OWN}`)), [1])
  assert.deepEqual(numbers(await page(other, `?${OWN}`)), [2])
  assert.deepEqual(numbers(await page(ofService, "?types=import.finished")), [3])
  for (const tenant of [mine, other])
    assert.deepEqual((await page(tenant, "?types=import.finished")).events, [])
  // Nor does a cursor show that others had events.
  const clock = Date.now()
  const before = await page(mine, "?after=latest")
  await records.addEvents([event(other, 4), event(ofService, 5)])
  const later = await page(mine, "?after=latest")
  if (Math.floor(clock / 60_000) === Math.floor(Date.now() / 60_000))
    assert.equal(later.next, before.next)
  const stolen = await ask(other, `?after=${before.next}`)
  assert.equal(stolen.status, 400)
  assert.equal(((await stolen.json()) as { code: string }).code, "cursor-unknown")
  const scoring = await made(["--tenant", "mine", "--scopes", "score"])
  assert.equal((await ask({ tenantId: 0, key: scoring })).status, 403)
})

test("an identity is told where it was sealed for the tenant, and nowhere else", async () => {
  const [owner, other] = [await newTenant("delivered"), await newTenant("not-delivered")]
  const { subkeys } = openSecrets(join(service.dataDirectory, "secret"), false)
  const sealed = openSealedIdentities(subkeys["sealed-identity"]).seal(
    "ana.silva@mail.example",
    owner.tenantId ?? 0,
  )
  await records.addEvents([
    event(owner, 1, { ref: "r1", sealed }),
    event(owner, 2, { ref: "r2" }),
    event(other, 3, { sealed }),
  ])
  const { events } = await page(owner, `?${OWN}`)
  assert.deepEqual(
    events.map(({ data }) => data),
    [{ n: 1, identity: "ana.silva@mail.example" }, { n: 2 }],
  )
  assert.deepEqual((await page(other, `?${OWN}`)).events[0]?.data, { n: 3 })
})

test("whoever waits is answered when an event comes, and without one when the time is over", async () => {
  const owner = await newTenant("waiting")
  const { next } = await page(owner, "?after=latest")
  const waits = [1, 2, 3].map(() => page(owner, `?after=${next}&wait=30`))
  // One that hangs up takes nobody's place.
  const gone = new AbortController()
  const hungUp = ask(owner, `?after=${next}&wait=30`, gone.signal)
  gone.abort()
  await assert.rejects(hungUp)
  await records.addEvents([event(owner, 1)])
  for (const each of await Promise.all(waits)) assert.deepEqual(numbers(each), [1])
  const behind = (await page(owner, `?after=${next}`)).next
  assert.deepEqual((await page(owner, `?after=${behind}&wait=1`)).events, [])
  // More than may wait are answered at once, and all of them in the end.
  const many = Array.from({ length: 15 }, () => page(owner, `?after=${behind}&wait=2`))
  for (const each of await Promise.all(many)) assert.deepEqual(each.events, [])
})

test("a service that stops answers those who wait", async () => {
  const stopping = await startService({ args: ["--workers", "1"] })
  const key = stopping.key ?? ""
  const latest = await stopping.request("/api/v1/events?after=latest", { key })
  const { next } = (await latest.json()) as EventList
  const waiting = stopping.request(`/api/v1/events?after=${next}&wait=30`, { key })
  // Its request is there once one that came after it is answered on another connection.
  await stopping.request("/healthz", { key: null, headers: { connection: "close" } })
  await stopping.stop()
  const answer = await waiting
  assert.equal(answer.status, 200)
  assert.deepEqual(((await answer.json()) as EventList).events, [])
})

test("what is no cursor, too old or no type is refused by its name", async () => {
  const owner = await newTenant("refused")
  const { subkeys } = openSecrets(join(service.dataDirectory, "secret"), false)
  const cursors = openCursors(subkeys.request)
  const aged = (days: number): string =>
    cursors.textOf({ seq: 0, atMs: Date.now() - days * DAY_MS }, owner.tenantId)
  const refusals: [query: string, status: number, code: string][] = [
    [`after=cur_${"A".repeat(22)}`, 400, "cursor-unknown"],
    [`after=${aged(EVENT_DAYS)}`, 410, "cursor-expired"],
    ["after=12", 400, "invalid-request"],
    ["after=cur_1", 400, "invalid-request"],
    ["types=another.kind", 400, "invalid-request"],
    ["types=", 400, "invalid-request"],
    ["limit=101", 400, "invalid-request"],
    ["wait=31", 400, "invalid-request"],
  ]
  for (const [query, status, code] of refusals) {
    const answer = await ask(owner, `?${query}`)
    assert.equal(answer.status, status, query)
    assert.equal(((await answer.json()) as { code: string }).code, code, query)
  }
  assert.equal((await ask(owner, `?after=${aged(EVENT_DAYS - 2)}`)).status, 200)
  assert.equal((await service.request("/api/v1/events", { key: null })).status, 401)
})
