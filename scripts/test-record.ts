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

/**
 * One line of the record: how a test ended, and the file it is written in. Needed where the
 * runner's summary of a file is lost because something in it ends the process, as a database
 * server's exit hook does.
 */
export interface OutcomeRecord {
  readonly type: "outcome"
  readonly file: string
  readonly outcome: keyof TestCounts
  readonly seconds: number
}

/** One line of the record: a test that did not run, and why. */
export interface SkipRecord {
  readonly type: "skip"
  readonly name: string
  readonly reason: string
}

export type TestRecord = SummaryRecord | OutcomeRecord | SkipRecord

/**
 * A reporter of node:test that writes the counts, and the tests that were skipped, as lines of
 * JSON.
 */
async function* testRecord(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    for (const record of recordsOf(event)) yield `${JSON.stringify(record)}\n`
  }
}

// The runner takes a reporter only as the default export of its module.
export default testRecord

function recordsOf(event: TestEvent): TestRecord[] {
  if (event.type === "test:summary") {
    const { counts, duration_ms, file, success } = event.data
    const skipped = counts.skipped + counts.todo
    // What neither passed nor was skipped failed: also a test cut off by a time limit.
    const failed = counts.tests - counts.passed - skipped
    return [
      {
        type: "summary",
        file: file ?? null,
        counts: { passed: counts.passed, failed, skipped },
        seconds: duration_ms / 1000,
        ok: success,
      },
    ]
  }
  if (event.type !== "test:pass" && event.type !== "test:fail") return []
  const { name, file, skip, todo, details } = event.data
  if (details.type === "suite" || file === undefined) return []
  const skipped = skip !== undefined || todo !== undefined
  const outcome = event.type === "test:fail" ? "failed" : skipped ? "skipped" : "passed"
  const ended: OutcomeRecord = {
    type: "outcome",
    file,
    outcome,
    seconds: details.duration_ms / 1000,
  }
  if (skip === undefined) return [ended]
  return [ended, { type: "skip", name, reason: typeof skip === "string" ? skip : "" }]
}
