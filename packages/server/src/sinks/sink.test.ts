import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { deriveSecrets } from "@assay/runtime/secrets"
import { eventId } from "@assay/stores/event-id"
import type { Records } from "@assay/stores/records"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { auditKey } from "@assay/stores/testing/audit-key"
import { openEventBodies } from "../intake/event-body.ts"
import { type Destination, SinkError } from "./destinations/destination.ts"
import { openSink, type Sink, type SinkFault } from "./sink.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-sinks-"))
after(() => rmSync(folder, { recursive: true }))
const bodyOf = openEventBodies(deriveSecrets(new Uint8Array(32).fill(7)).subkeys)

let files = 0
async function newRecords(): Promise<Records> {
  const file = join(folder, `records-${++files}.db`)
  const records = await openSqliteRecords({ file, auditKey })
  await records.migrate()
  return records
}

async function happens(records: Records, count: number, at = Date.now()): Promise<string[]> {
  const ids = Array.from({ length: count }, eventId)
  await records.addEvents(
    ids.map((id) => ({
      ...{ id, tenantId: null, kind: "import.finished" as const, at, ref: null },
      ...{ identityKey: null, sealed: null },
      data: { import_id: id, source: "forum", report: null },
    })),
  )
  return ids
}

interface Taking extends Destination {
  readonly taken: string[]
  /** What comes of a batch; the default takes it. */
  answer: (batch: readonly string[]) => Promise<void>
}

function destination(): Taking {
  const taken: string[] = []
  const own: Taking = {
    taken,
    answer: async () => undefined,
    async send(events) {
      const ids = events.map(({ id }) => id)
      await own.answer(ids)
      taken.push(...ids)
    },
    close: async () => undefined,
  }
  return own
}

const faults: (SinkFault | null)[] = []
const start = (name: string, records: Records, to: Destination, alone = true): Sink =>
  openSink({
    sink: { name, kind: "test", destination: to, withIdentities: false },
    ...{ records, bodyOf, alone, now: Date.now, restMs: 1 },
    changed: (fault) => faults.push(fault),
    count: () => undefined,
  })

/** Once it has begun, it gets whatever happens. */
async function begun(sink: Sink): Promise<void> {
  while ((await sink.state()).last_taken_at === null) await delay(5)
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!isSo()) {
    assert.ok(Date.now() < deadline)
    await delay(5)
  }
}

test("every event is sent once and in order, in batches, from where a sink began", async () => {
  const records = await newRecords()
  await happens(records, 3)
  const to = destination()
  const sink = start("siem", records, to)
  // It begins behind the newest.
  await begun(sink)
  const ids = await happens(records, 450)
  sink.look()
  await until(() => to.taken.length === ids.length)
  assert.deepEqual(to.taken, ids)
  await sink.stop()
  const [missed, again] = [await happens(records, 2), destination()]
  const later = start("siem", records, again)
  await until(() => again.taken.length === 2)
  assert.deepEqual(again.taken, missed)
  assert.deepEqual(
    { ...(await later.state()), last_taken_at: null },
    {
      ...{ name: "siem", kind: "test", behind: 0, lag_seconds: 0, last_taken_at: null },
      ...{ fault: null, sent_elsewhere: false },
    },
  )
  await later.stop()
  await records.close()
})

test("a receiver that is away gets all of it later, says why meanwhile, and others are not kept", async () => {
  const records = await newRecords()
  const [away, there] = [destination(), destination()]
  const down = start("away", records, away)
  const up = start("there", records, there)
  let failed = 0
  away.answer = async () => {
    failed++
    throw new SinkError("answered-503")
  }
  faults.length = 0
  await Promise.all([begun(down), begun(up)])
  const ids = await happens(records, 5)
  await until(() => there.taken.length === 5 && failed > 2)
  const { behind, fault } = await down.state()
  assert.deepEqual([behind, fault?.code, away.taken], [5, "answered-503", []])
  assert.deepEqual(
    faults.map((each) => each?.code),
    ["answered-503"],
  )
  away.answer = async () => undefined
  await until(() => away.taken.length === 5)
  assert.deepEqual(away.taken, ids)
  await until(() => faults.at(-1) === null)
  assert.deepEqual(there.taken, ids)
  await Promise.all([down.stop(), up.stop()])
  await records.close()
})

test("a batch whose answer was lost is sent again with the same ids, and nothing is left out", async () => {
  const records = await newRecords()
  const to = destination()
  const seen: string[] = []
  let lost = false
  to.answer = async (batch) => {
    seen.push(...batch)
    if (!lost) {
      lost = true
      throw new SinkError("timed-out")
    }
  }
  const sink = start("siem", records, to)
  await begun(sink)
  const ids = await happens(records, 3)
  await until(() => to.taken.length === 3)
  assert.deepEqual([...new Set(seen)], ids)
  assert.ok(seen.length > ids.length)
  await sink.stop()
  await records.close()
})

test("a batch that is too large is halved until it is taken", async () => {
  const records = await newRecords()
  const to = destination()
  const sizes: number[] = []
  to.answer = async (batch) => {
    sizes.push(batch.length)
    if (batch.length > 30) throw new SinkError("answered-413")
  }
  const sink = start("siem", records, to)
  await begun(sink)
  const ids = await happens(records, 150)
  await until(() => to.taken.length === ids.length)
  assert.deepEqual(to.taken, ids)
  assert.ok(sizes.every((size) => size <= 200) && sizes.some((size) => size <= 30))
  await sink.stop()
  await records.close()
})

test("of two services on the same records one sends, and the other takes over when it ends", async () => {
  const records = await newRecords()
  const [first, second] = [destination(), destination()]
  const one = start("siem", records, first, false)
  await begun(one)
  const two = start("siem", records, second, false)
  const ids = await happens(records, 3)
  await until(() => first.taken.length === 3)
  assert.deepEqual(first.taken, ids)
  while (!(await two.state()).sent_elsewhere) await delay(5)
  assert.equal((await one.state()).sent_elsewhere, false)
  await one.stop()
  const later = await happens(records, 2)
  await until(() => second.taken.length === 2)
  assert.deepEqual([first.taken, second.taken], [ids, later])
  await two.stop()
  await records.close()
})

test("a test is one event of its own, which says what came of it and moves nothing", async () => {
  const records = await newRecords()
  const to = destination()
  const sink = start("siem", records, to)
  await begun(sink)
  const { event_id: id, fault } = await sink.test()
  assert.deepEqual([fault, to.taken], [null, [id]])
  to.answer = async () => {
    throw new SinkError("answered-401")
  }
  assert.equal((await sink.test()).fault, "answered-401")
  const { fault: ofSink, behind } = await sink.state()
  assert.deepEqual([ofSink, behind], [null, 0])
  await sink.stop()
  await records.close()
})

test("a receiver that is away for an hour gets all of it, and memory does not grow with what waits", async () => {
  const records = await newRecords()
  const to = destination()
  let clock = Date.now()
  let [attempts, most] = [0, 0]
  let isAway = true
  to.answer = async (batch) => {
    most = Math.max(most, batch.length)
    attempts++
    if (!isAway) return
    clock += 60_000
    throw new SinkError("not-reached")
  }
  const sink = openSink({
    sink: { name: "siem", kind: "test", destination: to, withIdentities: false },
    ...{ records, bodyOf, alone: true, now: () => clock, restMs: 1, restMaxMs: 2 },
    ...{ changed: () => undefined, count: () => undefined },
  })
  await begun(sink)
  const from = clock
  const ids: string[] = []
  // The longest pauses are a minute, so an hour is some sixty attempts.
  while (clock < from + 3_600_000) {
    ids.push(...(await happens(records, 20, clock)))
    const before = attempts
    await until(() => attempts > before)
  }
  const { behind, lag_seconds, fault } = await sink.state()
  assert.deepEqual([behind, fault?.code], [ids.length, "not-reached"])
  assert.ok(lag_seconds >= 3_500, String(lag_seconds))
  isAway = false
  await until(() => to.taken.length === ids.length)
  assert.deepEqual(to.taken, ids)
  assert.ok(most <= 200, String(most))
  await sink.stop()
  await records.close()
})
