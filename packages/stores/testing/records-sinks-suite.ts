import assert from "node:assert/strict"
import { event } from "./records-events-suite.ts"
import { tenants } from "./records-feedback-suite.ts"
import { testsOnRecords, type TestDatabase } from "./records-suite.ts"

const at = Date.UTC(2026, 10, 18)
const held = { name: "siem", holder: "one", at, until: at + 30_000, alone: false }

/** Up to where sinks have events. */
export function recordsSinksSuite(engine: string, newDatabase: () => Promise<TestDatabase>): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  onRecords("a sink reads the events of all from its beginning on", async (openings) => {
    const { records } = openings
    const { acme } = await tenants(openings)
    await records.addEvents([event(acme.tenantId)])
    const begun = (await records.holdSink(held)) ?? assert.fail()
    const [first, second] = [event(acme.tenantId), event(null, { kind: "import.finished" })]
    await records.addEvents([first, second])
    const found = await records.eventsOfAll({ after: begun.seq, limit: 10 })
    const tenant = (await records.tenants()).find(({ id }) => id === acme.tenantId)?.name
    assert.deepEqual(
      found.map((each) => [each.id, each.tenant]),
      [
        [first.id, tenant],
        [second.id, null],
      ],
    )
    assert.equal((await records.eventsOfAll({ after: begun.seq, limit: 1 })).length, 1)
    assert.equal(await records.countEventsOfAll({ after: begun.seq, limit: 10 }), 2)
    assert.equal(await records.countEventsOfAll({ after: begun.seq, limit: 1 }), 1)
    assert.ok((await records.countEventsOfAll({ after: 0, limit: 10 })) > found.length)
  })

  onRecords(
    "a sink moves forward and never back, and a start finds where it was",
    async (openings) => {
      const { records, open } = openings
      const { acme } = await tenants(openings)
      assert.equal(await records.sinkPosition("siem"), null)
      const { seq } = (await records.holdSink(held)) ?? assert.fail()
      await records.addEvents([event(acme.tenantId), event(acme.tenantId)])
      const move = { name: "siem", holder: "one" }
      assert.equal(await records.moveSink({ ...move, seq: seq + 2, at: at + 1 }), true)
      assert.equal(await records.moveSink({ ...move, seq: seq + 1, at: at + 2 }), true)
      const again = await open()
      const position = { name: "siem", seq: seq + 2, movedAt: at + 2 }
      assert.deepEqual(await again.sinkPosition("siem"), position)
      assert.deepEqual(await again.holdSink({ ...held, at: at + 3 }), position)
      assert.equal((await again.holdSink({ ...held, name: "other" }))?.seq, seq + 2)
    },
  )

  onRecords(
    "one process at a time holds a sink, until it lets go or its time is over",
    async ({ records }) => {
      const other = { ...held, holder: "two" }
      assert.ok(await records.holdSink(held))
      assert.equal(await records.holdSink({ ...other, at: held.until - 1 }), null)
      const moved = { name: "siem", holder: "two", seq: 1, at }
      assert.equal(await records.moveSink(moved), false)
      assert.ok(await records.holdSink({ ...other, at: held.until, until: held.until + 1 }))
      assert.equal(await records.moveSink({ ...moved, holder: "one" }), false)
      assert.equal(await records.moveSink(moved), true)
      await records.releaseSink({ name: "siem", holder: "one" })
      assert.equal(await records.holdSink(held), null)
      await records.releaseSink({ name: "siem", holder: "two" })
      assert.ok(await records.holdSink(held))
      // Whoever knows that the others ended does not wait for their time.
      assert.ok(await records.holdSink({ ...other, alone: true }))
    },
  )
}
