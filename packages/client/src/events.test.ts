import assert from "node:assert/strict"
import { test } from "node:test"
import { clientOf, json, startTestServer } from "../testing/test-server.ts"
import { AssayUnavailable } from "./index.ts"

const revoked = (id: string): object => ({
  id,
  type: "key.revoked",
  timestamp: "2026-11-18T09:30:00.125Z",
  data: { key_id: "key_1", hint: "ask_…", label: "", actor: "person:7" },
})

test("a page of events is asked for from its cursor on, and anything else is no answer", async () => {
  const page = { events: [revoked("evt_1")], next: "cur_1" }
  const server = await startTestServer(json(200, page), json(200, page), json(200, { events: [] }))
  const client = clientOf(server.url)
  assert.deepEqual(await client.listEvents(), page)
  const types = ["key.revoked", "key.created"] as const
  await client.listEvents({ after: "cur_1", types, limit: 5, waitSeconds: 30 })
  await assert.rejects(client.listEvents(), AssayUnavailable)
  assert.deepEqual(
    server.seen.map(({ url }) => url),
    [
      "/api/v1/events",
      "/api/v1/events?after=cur_1&types=key.revoked%2Ckey.created&limit=5&wait=30",
      "/api/v1/events",
    ],
  )
})

test("events come one after the other, and a cursor is told only when all before it were taken", async () => {
  const server = await startTestServer(
    json(200, { events: [revoked("evt_1"), revoked("evt_2")], next: "cur_1" }),
    json(200, { events: [], next: "cur_2" }),
    json(200, { events: [], next: "cur_2" }),
    json(200, { events: [revoked("evt_3")], next: "cur_3" }),
  )
  const told: string[] = []
  const onCursor = (next: string): void => void told.push(next)
  const taken: string[] = []
  for await (const event of clientOf(server.url).events({ after: "latest", onCursor })) {
    taken.push(`${event.id} ${told.join(",")}`)
    if (event.type === "key.revoked") assert.equal(event.data.key_id, "key_1")
    if (event.id === "evt_3") break
  }
  assert.deepEqual(taken, ["evt_1 ", "evt_2 ", "evt_3 cur_1,cur_2"])
  assert.deepEqual(
    server.seen.map(({ url }) => url),
    ["latest", "cur_1", "cur_2", "cur_2"].map((after) => `/api/v1/events?after=${after}&wait=30`),
  )
})

test("a reader of events ends when its signal says so, and rejects where a page cannot be read", async () => {
  const server = await startTestServer(
    json(200, { events: [revoked("evt_1")], next: "cur_1" }),
    json(410, {
      code: "cursor-expired",
      status: 410,
      title: "x",
      type: "/problems/cursor-expired",
    }),
  )
  const reading = clientOf(server.url).events()
  assert.equal((await reading.next()).value.id, "evt_1")
  await assert.rejects(reading.next())
  const ended = AbortSignal.abort(new Error("enough"))
  await assert.rejects(clientOf(server.url).events({ signal: ended }).next(), /enough/)
})

test("one event is asked for by its id, and the newest without a cursor", async () => {
  const event = revoked("evt_1")
  const page = { events: [event], next: "cur_1" }
  const server = await startTestServer(json(200, event), json(200, page), json(200, event))
  const client = clientOf(server.url)
  assert.deepEqual(await client.getEvent("evt_1"), event)
  assert.deepEqual(await client.listEvents({ last: 20 }), page)
  await assert.rejects(client.getEvent("evt_2"), AssayUnavailable)
  await assert.rejects(client.getEvent("ana@mail.example"), TypeError)
  assert.deepEqual(
    server.seen.map(({ url }) => url),
    ["/api/v1/events/evt_1", "/api/v1/events?last=20", "/api/v1/events/evt_2"],
  )
})
