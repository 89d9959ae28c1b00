import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { startReader } from "./children.ts"
import type { LookProgress } from "./examine.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-children-"))
after(() => rmSync(directory, { recursive: true }))
const list = join(directory, "list.txt")
writeFileSync(list, "ana@mail.example:1\n")
const job = { paths: [list], hints: { map: {} }, rowsShown: 0, nowMs: Date.now() }
const quiet = (): void => undefined

test("a reader tells how far it is, and which file it is at", async () => {
  const reader = startReader(process)
  const reported: LookProgress[] = []
  await reader.examine(job, (progress) => reported.push(progress))
  await reader.kill()
  // Its contents once, and its beginning once more.
  assert.deepEqual(reported.at(-1), { bytes: 38, totalBytes: 38, members: 1, member: "list.txt" })
})

test("a reader that comes no further fails what was asked of it, and is ended", async () => {
  const reader = startReader(process, { stallMs: 600 })
  process.kill(reader.pid, "SIGSTOP")
  await assert.rejects(reader.examine(job, quiet), {
    name: "ImportFailure",
    code: "reader",
    message: "Reading came no further for 0.01 minutes",
  })
  await reader.kill()
  assert.throws(() => process.kill(reader.pid, 0), { code: "ESRCH" })
})

test("a reader that was killed fails what was asked of it, and what is asked later", async () => {
  const reader = startReader(process)
  process.kill(reader.pid, "SIGKILL")
  const failure = { code: "reader", message: "The reader ended unexpectedly (SIGKILL)" }
  await assert.rejects(reader.examine(job, quiet), failure)
  await assert.rejects(reader.digest(list, quiet), failure)
  await reader.kill()
})

test("a reader that cannot be started says so", async () => {
  const reader = startReader({ execPath: join(directory, "none"), execArgv: [] })
  await assert.rejects(reader.examine(job, quiet), {
    code: "reader",
    message: "The reader ended unexpectedly (exit code 127)",
  })
  await reader.kill()
})
