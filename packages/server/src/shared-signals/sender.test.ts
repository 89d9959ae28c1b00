import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { createLocalJWKSet, jwtVerify } from "jose"
import { EVENTS } from "@assay/core/contract"
import { readAddressRange } from "@assay/runtime/outbound/address-guard"
import { openGuardedPosts } from "@assay/runtime/outbound/guarded-post"
import { deriveSecrets } from "@assay/runtime/secrets"
import { eventId } from "@assay/stores/event-id"
import type { Records } from "@assay/stores/records"
import type { SharedStream } from "@assay/stores/records-shared-signals"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { auditKey } from "@assay/stores/testing/audit-key"
import { recordsDatabases } from "@assay/stores/testing/postgres/records-databases"
import { startTestServer } from "@assay/stores/testing/postgres/test-server"
import type { TestDatabase } from "@assay/stores/testing/records-suite"
import { type PushReceiver, startPushReceiver } from "../../testing/shared-signals/push-receiver.ts"
import { EVENT_TYPES } from "./security-events.ts"
import { openStreamSender, type StreamSender } from "./sender.ts"
import { LEAD_MS, publishedKeys } from "./sign.ts"
import { openStreamsWriter, type StreamKeeper } from "./streams.ts"

const ORIGIN = "https://risk.example"
const secrets = deriveSecrets(new Uint8Array(32).fill(7))
const allowed = [readAddressRange("127.0.0.1")].flatMap((range) => range ?? [])
const folder = mkdtempSync(join(tmpdir(), "assay-sender-"))
after(() => rmSync(folder, { recursive: true }))
const server = await startTestServer().catch((error: unknown) => {
  if (process.env["CI"] === "true") throw error
  return null
})
if (server === null) test("postgres", { skip: "no PostgreSQL on this machine" }, () => {})
after(async () => {
  await databases?.end()
  await server?.stop()
})

const databases = server && recordsDatabases(server)
let files = 0
const engines: Record<string, () => Promise<Pick<TestDatabase, "open" | "over">>> = {
  sqlite: async () => {
    const file = join(folder, `records-${++files}.db`)
    return { open: () => openSqliteRecords({ file, auditKey }) }
  },
  ...(databases && { postgres: () => databases.next() }),
}

interface Given {
  readonly records: Records
  readonly keeper: StreamKeeper
  readonly tenantId: number
  readonly clock: { offsetMs: number }
  /** One more sender, over an opening of its own. */
  readonly start: () => Promise<StreamSender>
  readonly streamTo: (url: string) => Promise<SharedStream>
  /** Adds so many changes of risk and returns the ids of their tokens. */
  readonly happened: (count: number) => Promise<string[]>
}

function onEngines(name: string, body: (given: Given) => Promise<void>): void {
  for (const [engine, newDatabase] of Object.entries(engines))
    test(`${engine}: ${name}`, async () => {
      const database = await newDatabase()
      const opened: Records[] = []
      const senders: StreamSender[] = []
      const clock = { offsetMs: 0 }
      const now = (): number => Date.now() + clock.offsetMs
      const openOne = async (): Promise<Records> => {
        const one = await database.open()
        opened.push(one)
        return one
      }
      const records = await openOne()
      await records.migrate()
      const by = { at: now(), actor: "test" }
      const { id: tenantId } = await records.createTenant({ name: "a", plan: "free", ...by })
      const keeper = await openStreamsWriter({
        ...{ records, secrets, now, ssfOrigin: ORIGIN },
        deliveries: { begin: async () => undefined, refusalOf: async () => null },
      })
      await keeper.settleDue?.()
      const given: Given = {
        ...{ records, keeper, tenantId, clock },
        async start() {
          const sender = openStreamSender({
            outbox: await openOne(),
            posts: openGuardedPosts({ allowed, timeoutMs: 2_000, bodyBytesMax: 1_000 }),
            ...{ subkeys: secrets.subkeys, origin: ORIGIN, timeoutMs: 2_000, version: "0", now },
            countPush: () => undefined,
            failed: (error) => assert.fail(String(error)),
            restMs: 5,
          })
          senders.push(sender)
          return sender
        },
        async streamTo(url) {
          const made = await keeper.create({
            ...{ tenantId, actor: "test", requestId: "r1", method: "push", url, audience: null },
            ...{ authorization: null, description: "", dialect: "standard" },
            ...{ subjectFormat: "opaque", subjectIssuer: null },
            events: [EVENT_TYPES["risk-level-change"]],
          })
          assert.ok(typeof made !== "string")
          return made
        },
        async happened(count) {
          const events = Array.from({ length: count }, (_, n) => ({
            ...{ id: eventId(), tenantId, kind: "risk.phone.changed" as const, at: now() },
            ...{ ref: `user-${n}`, identityKey: null, sealed: null },
            data: EVENTS["risk.phone.changed"].example,
          }))
          await records.addEvents(events)
          return events.map(({ id }) => `${id}.risk-level-change`)
        },
      }
      try {
        await body(given)
      } finally {
        for (const sender of senders) await sender.stop()
        for (const one of opened) await one.close()
      }
      database.over?.()
    })
}

const idsOf = ({ pushed }: PushReceiver): string[] => pushed.map(({ claims }) => claims.jti ?? "")

/** Lets the time pass that a stream waits for its next attempt. */
async function passRest(
  { records, clock }: Given,
  place: { tenantId: number; id: string },
  sender: StreamSender,
): Promise<void> {
  const nextAt = (await records.stream(place))?.nextAt ?? 0
  clock.offsetMs += Math.max(0, nextAt - (Date.now() + clock.offsetMs))
  sender.look()
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await isSo())) {
    assert.ok(Date.now() < deadline, what)
    await delay(10)
  }
}

onEngines("two services push to a stream once, in order", async (given) => {
  const receiver = await startPushReceiver()
  const { id } = await given.streamTo(receiver.url)
  const ids = await given.happened(120)
  await given.start()
  await given.start()
  await receiver.until(120)
  const place = { tenantId: given.tenantId, id }
  const newest = await given.records.newestEvent({ tenantId: given.tenantId })
  await until("all was taken", async () => (await given.records.stream(place))?.seq === newest)
  assert.deepEqual(idsOf(receiver), ids)
  await receiver.close()
})

onEngines("a receiver that is away gets everything once it is back", async (given) => {
  const free = createServer()
  await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve))
  const { port } = free.address() as AddressInfo
  await new Promise((resolve) => free.close(resolve))
  const { id } = await given.streamTo(`http://127.0.0.1:${port}/`)
  const ids = await given.happened(3)
  const sender = await given.start()
  const place = { tenantId: given.tenantId, id }
  await until("it fails often", async () => {
    await passRest(given, place, sender)
    return ((await given.records.stream(place))?.failures ?? 0) > 20
  })
  const away = await given.records.stream(place)
  assert.deepEqual([away?.status, away?.fault?.code], ["enabled", "not-reached"])
  const receiver = await startPushReceiver()
  const by = { actor: "test", requestId: "r1" }
  await given.keeper.change({ ...place, ...by, set: { url: receiver.url }, byReceiver: false })
  await receiver.until(3)
  assert.deepEqual(idsOf(receiver), ids)
  await receiver.close()
})

onEngines(
  "a receiver that refuses by the standard has its stream paused, and loses nothing",
  async (given) => {
    let refuses = true
    const receiver = await startPushReceiver(({ claims }) =>
      refuses && claims.jti?.startsWith("evt_") === true
        ? { status: 400, body: JSON.stringify({ err: "invalid_audience", description: "x" }) }
        : { status: 202 },
    )
    const { id } = await given.streamTo(receiver.url)
    const [first, second] = await given.happened(2)
    const sender = await given.start()
    const place = { tenantId: given.tenantId, id }
    await until("it is paused", async () => {
      await passRest(given, place, sender)
      return (await given.records.stream(place))?.status === "paused"
    })
    const paused = await given.records.stream(place)
    assert.match(paused?.reason ?? "", /invalid_audience/)
    assert.equal(receiver.pushed.filter(({ claims }) => claims.jti === first).length, 8)
    await until("it is told so", async () => idsOf(receiver).some((jti) => jti.startsWith("ssn_")))
    refuses = false
    const by = { actor: "test", requestId: "r1" }
    const status = { status: "enabled", reason: null } as const
    await given.keeper.change({ ...place, ...by, status, byReceiver: true })
    await until("all is taken", async () => idsOf(receiver).at(-1) === second)
    assert.equal(idsOf(receiver).at(-2), first)
    await receiver.close()
  },
)

onEngines(
  "keys rotate under load, and every token verifies by the keys of before",
  async (given) => {
    const receiver = await startPushReceiver()
    await given.streamTo(receiver.url)
    await given.start()
    // What a receiver knows is as old as it may be: from before the rotation that is under way.
    let known = publishedKeys(await given.records.sharedKeys(), Date.now())
    const kids = new Set<string>()
    let checked = 0
    for (let round = 0; round < 6; round++) {
      if (round % 2 === 0) await given.keeper.rotate({ actor: "person:1", requestId: "r1" })
      await given.happened(20)
      const pushed = await receiver.until((round + 1) * 20)
      for (const { token } of pushed.slice(checked)) {
        const { protectedHeader } = await jwtVerify(token, createLocalJWKSet({ keys: known }), {
          currentDate: new Date(Date.now() + given.clock.offsetMs),
        })
        kids.add(protectedHeader.kid ?? "")
      }
      checked = pushed.length
      const at = Date.now() + given.clock.offsetMs
      known = publishedKeys(await given.records.sharedKeys(), at)
      given.clock.offsetMs += LEAD_MS + 60_000
    }
    assert.ok(kids.size >= 3, `${kids.size} keys signed`)
    await receiver.close()
  },
)
