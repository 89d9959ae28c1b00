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
import { type Destination, openSink, type Sink, SinkError, type SinkFault } from "./sink.ts"

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

async function happens(records: Records, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, eventId)
  await records.addEvents(
    ids.map((id) => ({
      ...{ id, tenantId: null, kind: "import.finished" as const, at: Date.now(), ref: null },
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
const start = (name: string, records: Records, to: Destination): Sink =>
  openSink({
    ...{ name, records, destination: to, bodyOf, now: Date.now, restMs: 1 },
    changed: (fault) => faults.push(fault),
  })

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
  while ((await sink.state()).behind > 0) await delay(5)
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
    { ...(await later.state()), movedAt: 0 },
    { name: "siem", behind: 0, movedAt: 0, fault: null },
  )
  await later.stop()
  await records.close()
})

test("a receiver that is away gets all of it later, says why meanwhile, and others are not kept", async () => {
  const records = await newRecords()
  const [away, there] = [destination(), destination()]
  const down = start("away", records, away)
  const up = start("there", records, there)
  await until(() => true)
  let failed = 0
  away.answer = async () => {
    failed++
    throw new SinkError("answered-503")
  }
  faults.length = 0
  await Promise.all([down.state(), up.state()])
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
  await sink.state()
  const ids = await happens(records, 3)
  await until(() => to.taken.length === 3)
  assert.deepEqual([...new Set(seen)], ids)
  assert.ok(seen.length > ids.length)
  await sink.stop()
  await records.close()
})
