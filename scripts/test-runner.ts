// Run by run-tests.ts, in a process of its own: node --test, except that it takes the files in the
// order in which they are named and not in that of their names, and as many of them at a time as
// keep the cores at work. Files that are named in one argument, with commas, share a process.
import { createWriteStream } from "node:fs"
import { devNull } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { run } from "node:test"
import { spec, type TestEvent } from "node:test/reporters"
import { parseArgs } from "node:util"
import { eventsOfGroup } from "./events-of-group.ts"
import { inTurns } from "./in-turns.ts"
import testRecord from "./test-record.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    least: { type: "string", default: "1" },
    most: { type: "string", default: "1" },
    "timeout-ms": { type: "string", default: "Infinity" },
    record: { type: "string", default: devNull },
  },
})

type Summary = Extract<TestEvent, { type: "test:summary" }>

const events = new PassThrough({ objectMode: true })
events.compose(testRecord).pipe(createWriteStream(values.record))
events.compose(new spec()).pipe(process.stdout)

const startedAt = performance.now()
const summaries: Summary["data"][] = []
await inTurns(positionals, runFiles, { least: Number(values.least), most: Number(values.most) })
const summary = wholeOf(summaries)
if (!summary.success) process.exitCode = 1
events.end({ type: "test:summary", data: summary })

/**
 * What files have to say is passed on when they have ended, so that no other's stands in between.
 */
async function runFiles(named: string): Promise<void> {
  const own: TestEvent[] = []
  const files = named.split(",")
  const isGroup = files.length > 1
  const running = run({
    ...(isGroup
      ? { files: [join(import.meta.dirname, "run-file-group.ts")], argv: files }
      : { files }),
    timeout: Number(values["timeout-ms"]),
  })
  for await (const event of running as AsyncIterable<TestEvent>) {
    // What concerns the run as a whole names no file.
    if (event.data !== undefined && "file" in event.data && event.data.file !== undefined)
      own.push(event)
    else if (event.type === "test:summary") summaries.push(event.data)
  }
  for (const event of isGroup ? eventsOfGroup(own, files) : own) events.write(event)
}

function wholeOf(parts: readonly Summary["data"][]): Summary["data"] {
  const sum = (count: keyof Summary["data"]["counts"]): number =>
    parts.reduce((total, { counts }) => total + counts[count], 0)
  return {
    file: undefined,
    success: parts.length === positionals.length && parts.every(({ success }) => success),
    duration_ms: performance.now() - startedAt,
    counts: {
      tests: sum("tests"),
      suites: sum("suites"),
      passed: sum("passed"),
      cancelled: sum("cancelled"),
      skipped: sum("skipped"),
      todo: sum("todo"),
      topLevel: sum("topLevel"),
    },
  }
}
