import assert from "node:assert/strict"
import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { sampleEvents } from "../../../testing/sinks/sample-events.ts"
import { ecsOf } from "../formats/ecs.ts"
import { ocsfOf } from "../formats/ocsf.ts"
import { file } from "./file.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-sink-file-"))
after(() => rmSync(folder, { recursive: true }))
const from = { host: "assay-1", pid: 7, print: () => assert.fail("nothing is printed") }
const events = sampleEvents()
const [first = assert.fail(), second = assert.fail(), third = assert.fail()] = events

const linesOf = (path: string): unknown[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown)
const asJson = (values: readonly unknown[]): unknown => JSON.parse(JSON.stringify(values))

test("a file has one line an event, in the format that was asked for, for its owner alone", async () => {
  for (const [format, of] of [
    ["events", (event: unknown) => event],
    ["ocsf", ocsfOf],
    ["ecs", ecsOf],
  ] as const) {
    const path = join(folder, `${format}.ndjson`)
    const destination = file.open({ path, format }, from)
    await destination.send(events.slice(0, 5))
    await destination.send(events.slice(5))
    await destination.close()
    assert.deepEqual(linesOf(path), asJson(events.map(of)))
    assert.equal(statSync(path).mode & 0o777, 0o600)
  }
})

test("after a kill a torn line is cut off, and what was written is not written again", async () => {
  const path = join(folder, "torn.ndjson")
  const killed = file.open({ path }, from)
  await killed.send([first, second])
  await killed.close()
  appendFileSync(path, JSON.stringify(third).slice(0, 40))
  const destination = file.open({ path }, from)
  await destination.send([second, third])
  assert.deepEqual(linesOf(path), asJson([first, second, third]))
  // Only what was there before counts: an event that is sent again on purpose is written.
  await destination.send([third])
  assert.equal(linesOf(path).length, 4)
  await destination.close()
})

test("a file that was moved away is made anew, and the moved one is left as it is", async () => {
  const path = join(folder, "rotated.ndjson")
  const destination = file.open({ path }, from)
  await destination.send([first])
  renameSync(path, `${path}.1`)
  await destination.send([second])
  assert.deepEqual([linesOf(`${path}.1`), linesOf(path)], asJson([[first], [second]]))
  await destination.close()
})

test("a test that comes first after a kill does not have events written twice", async () => {
  const path = join(folder, "tested.ndjson")
  const killed = file.open({ path }, from)
  await killed.send([first, second])
  await killed.close()
  const destination = file.open({ path }, from)
  const trial = events.find(({ type }) => type === "sink.test") ?? assert.fail()
  await destination.send([trial])
  await destination.send([first, second, third])
  assert.deepEqual(linesOf(path), asJson([first, second, trial, third]))
  await destination.close()
})

test("what is left of a write that failed is no part of the lines after it", async () => {
  const path = join(folder, "failed.ndjson")
  const destination = file.open({ path }, from)
  await destination.send([first])
  // A write that fails, and then what such a write leaves in the file.
  const odd = {
    ...second,
    get data(): never {
      throw Object.assign(new Error("no space"), { code: "ENOSPC" })
    },
  }
  await assert.rejects(destination.send([odd]), { code: "ENOSPC" })
  appendFileSync(path, JSON.stringify(second).slice(0, 30))
  await destination.send([second, third])
  assert.deepEqual(linesOf(path), asJson([first, second, third]))
  await destination.close()
})

test("a file of another program is left as it is", async () => {
  const path = join(folder, "another.txt")
  appendFileSync(path, "a line\nnotes without an end")
  const destination = file.open({ path }, from)
  await assert.rejects(destination.send([first]), { code: "file-of-another" })
  assert.equal(readFileSync(path, "utf8"), "a line\nnotes without an end")
  await destination.close()
})

test("a full disk is a fault, and nothing counts as written", async () => {
  const destination = file.open({ path: "/dev/full" }, from)
  await assert.rejects(destination.send(events), { code: "ENOSPC" })
  await destination.close()
})
