import type { TestEvent } from "node:test/reporters"
import { inspect } from "node:util"

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

/** One line of the record: a test that failed, where it is written, and what it threw. */
export interface FailRecord {
  readonly type: "fail"
  readonly name: string
  readonly file: string
  readonly error: string
}

export type TestRecord = SummaryRecord | OutcomeRecord | SkipRecord | FailRecord

/** How much of an error is kept: a comparison of two long answers would bury the others. */
const ERROR_CHARACTERS = 4_000

/**
 * A reporter of node:test that writes the counts, and the tests that failed or were skipped, as
 * lines of JSON.
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
  if (file === undefined) return []
  // A suite is no test of its own, but where its hook fails only it says why its tests did not run.
  if (details.type === "suite") {
    const error = event.type === "test:fail" ? errorOf(event) : null
    return error?.failureType === "hookFailed" ? [failRecord(name, file, error)] : []
  }
  const skipped = skip !== undefined || todo !== undefined
  const outcome = event.type === "test:fail" ? "failed" : skipped ? "skipped" : "passed"
  const ended: OutcomeRecord = {
    type: "outcome",
    file,
    outcome,
    seconds: details.duration_ms / 1000,
  }
  if (event.type === "test:fail") return [ended, failRecord(name, file, errorOf(event))]
  if (skip === undefined) return [ended]
  return [ended, { type: "skip", name, reason: typeof skip === "string" ? skip : "" }]
}

interface TestError extends Error {
  readonly failureType?: string
}

function errorOf(event: Extract<TestEvent, { type: "test:fail" }>): TestError {
  return event.data.details.error
}

/** What the runner adds around the error of a test says only that the test failed. */
function failRecord(name: string, file: string, error: Error): FailRecord {
  const text = inspect(error.cause ?? error).slice(0, ERROR_CHARACTERS)
  return { type: "fail", name, file, error: text }
}
