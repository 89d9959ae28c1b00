import assert from "node:assert/strict"
import { event } from "./records-events-suite.ts"
import { tenants } from "./records-feedback-suite.ts"
import { testsOnRecords, type TestDatabase } from "./records-suite.ts"

const at = Date.UTC(2026, 10, 18)

/** Up to where sinks have events. */
export function recordsSinksSuite(engine: string, newDatabase: () => Promise<TestDatabase>): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  onRecords("a sink reads the events of all from its beginning on", async (openings) => {
    const { records } = openings
    const { acme } = await tenants(openings)
    await records.addEvents([event(acme.tenantId)])
    const begun = await records.beginSink({ name: "siem", at })
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
      const { seq } = await records.beginSink({ name: "siem", at })
      await records.addEvents([event(acme.tenantId), event(acme.tenantId)])
      await records.moveSink({ name: "siem", seq: seq + 2, at: at + 1 })
      await records.moveSink({ name: "siem", seq: seq + 1, at: at + 2 })
      const again = await open()
      assert.deepEqual(await again.beginSink({ name: "siem", at: at + 3 }), {
        ...{ name: "siem", seq: seq + 2, movedAt: at + 1 },
      })
      assert.equal((await again.beginSink({ name: "other", at })).seq, seq + 2)
    },
  )
}
