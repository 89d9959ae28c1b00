import type { TestEvent } from "node:test/reporters"

export interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** One line of the record: what a file's tests, or with `file` null the whole run's, came to. */
export interface SummaryRecord {
  readonly type: "summary"
  readonly file: string | null
  readonly counts: TestCounts
  readonly seconds: number
  readonly ok: boolean
}

/** One line of the record: a test that did not run, and why. */
export interface SkipRecord {
  readonly type: "skip"
  readonly name: string
  readonly reason: string
}

export type TestRecord = SummaryRecord | SkipRecord

/** A reporter of node:test that writes the counts, and the tests that were skipped, as lines of JSON. */
async function* testRecord(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const record = recordOf(event)
    if (record !== null) yield `${JSON.stringify(record)}\n`
  }
}

// The runner takes a reporter only as the default export of its module.
export default testRecord

function recordOf(event: TestEvent): TestRecord | null {
  if (event.type === "test:summary") {
    const { counts, duration_ms, file, success } = event.data
    const skipped = counts.skipped + counts.todo
    // What neither passed nor was skipped failed: also a test cut off by a time limit.
    const failed = counts.tests - counts.passed - skipped
    return {
      type: "summary",
      file: file ?? null,
      counts: { passed: counts.passed, failed, skipped },
      seconds: duration_ms / 1000,
      ok: success,
    }
  }
  if (event.type === "test:pass" && event.data.skip !== undefined) {
    const { name, skip } = event.data
    return { type: "skip", name, reason: typeof skip === "string" ? skip : "" }
  }
  return null
}
