// Run by run-tests.ts, in a process of its own: node --test, except that it takes the files in the
// order in which they are named and not in that of their names.
import { createWriteStream } from "node:fs"
import { devNull } from "node:os"
import { run } from "node:test"
import { spec } from "node:test/reporters"
import { parseArgs } from "node:util"
import testRecord from "./test-record.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    concurrency: { type: "string", default: "1" },
    "timeout-ms": { type: "string", default: "Infinity" },
    record: { type: "string", default: devNull },
  },
})

const events = run({
  files: positionals,
  concurrency: Number(values.concurrency),
  timeout: Number(values["timeout-ms"]),
})
events.on("test:summary", ({ file, success }) => {
  // The summary of the whole run names no file.
  if (file === undefined && !success) process.exitCode = 1
})
events.compose(testRecord).pipe(createWriteStream(values.record))
events.compose(new spec()).pipe(process.stdout)
