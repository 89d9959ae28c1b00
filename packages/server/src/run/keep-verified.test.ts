import assert from "node:assert/strict"
import { readFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { fileURLToPath } from "node:url"
import { beginVerification, readVerification } from "@assay/stores/lmdb/verification"
import type { End } from "@assay/runtime/children"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { openLog } from "@assay/runtime/log"
import { openSecrets } from "@assay/runtime/secrets"
import { importRows, keyOf, source } from "@assay/stores/testing/exposure-index-process-suite"
import { compactLmdbIndex } from "@assay/stores/lmdb/compact"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import { placesOf } from "@assay/stores/testing/lmdb/buckets-suite"
import { flipBit } from "@assay/stores/testing/lmdb/flipped-bits-suite"
import { temporaryDirectory } from "@assay/stores/testing/second-process-suite"
import { DAY_MS } from "@assay/runtime/time"
import { startVerify, watchVerify } from "./keep-verified.ts"

const main = fileURLToPath(new URL("../main.ts", import.meta.url))
const log = openLog("error")

async function writtenDirectory(t: TestContext): Promise<{ path: string; index: string }> {
  const path = join(await temporaryDirectory(t), "data")
  const { index } = openDataDirectory(path)
  const { checkValue } = openSecrets(join(path, "secret.key"), true)
  const opened = await openLmdbIndex({ path: index })
  await opened.checkKeyCheckValue(checkValue)
  const { id } = await opened.openBatch(source, "file", 1)
  await opened.merge(id, importRows(id, 2_000))
  await opened.goLive(id, { rows: 2_000, identities: 2_000 }, 2)
  await opened.close()
  await compactLmdbIndex({ path: index })
  return { path, index }
}

const verifyOf = (path: string): ReturnType<typeof startVerify> =>
  startVerify(
    { exec: main, execArgv: ["--conditions=source"] },
    ["--index", "--slowly"],
    "ignore",
    {
      PATH: process.env["PATH"] ?? "",
      ASSAY_DATA: path,
      ASSAY_SECRET_FILE: join(path, "secret.key"),
    },
  )

test("an index is read through once a day by another process, and what it finds outlives a compaction", async (t) => {
  const { path, index } = await writtenDirectory(t)
  let now = Date.now()
  let started = 0
  const watch = watchVerify({
    index,
    everyMs: DAY_MS,
    start: () => {
      started++
      return verifyOf(path)
    },
    now: () => now,
    log,
  })
  await watch.look()
  assert.deepEqual(readVerification(index)?.faults, [])
  await watch.look()
  assert.equal(started, 1)
  flipBit(join(index, "data.mdb"), placesOf(index, join(index, "data.mdb"), keyOf(3)).set + 4, 3)
  now += DAY_MS + 60_000
  await watch.look()
  assert.equal(started, 2)
  assert.deepEqual(readVerification(index)?.faults, [
    "shared: a value that does not have its checksum",
  ])
  await compactLmdbIndex({ path: index })
  assert.equal(readVerification(index)?.faults.length, 1)
  // A reading of the previous generation says nothing about the one in use.
  const keep = beginVerification(index)
  await compactLmdbIndex({ path: index })
  keep({ at: now, faults: [] })
  assert.equal(readVerification(index)?.faults.length, 1)
})

test("a reading that a damaged page ends is a fault by name, and a stop is none", async (t) => {
  const { index } = await writtenDirectory(t)
  const ends: End[] = [{ exitCode: null, signal: "SIGBUS" }]
  let now = Date.now()
  const running = Promise.withResolvers<End>()
  const begun = Promise.withResolvers<undefined>()
  const watch = watchVerify({
    index,
    everyMs: DAY_MS,
    start: () => {
      const end = ends.pop()
      if (end === undefined) begun.resolve(undefined)
      return {
        ended: end === undefined ? running.promise : Promise.resolve(end),
        stop: () => running.resolve({ exitCode: null, signal: "SIGKILL" }),
      }
    },
    now: () => now,
    log,
  })
  await watch.look()
  const [fault] = readVerification(index)?.faults ?? []
  assert.match(fault ?? "", /damaged page .* \(SIGBUS\).* `npx assay corpus rebuild --lost-index`$/)
  const kept = readFileSync(join(index, "verified.json"), "utf8")
  now += 2 * DAY_MS
  const looked = watch.look()
  await begun.promise
  await watch.stop()
  await looked
  assert.equal(readFileSync(join(index, "verified.json"), "utf8"), kept)
})

test("a reading that somebody else ended says nothing of the index, and a date that is still to come puts none off", async (t) => {
  const { index } = await writtenDirectory(t)
  let now = Date.now()
  const signals: NodeJS.Signals[] = ["SIGTERM", "SIGKILL"]
  let started = 0
  const watch = watchVerify({
    index,
    everyMs: DAY_MS,
    start: () => {
      started++
      const signal = signals.pop() ?? null
      const ended = { exitCode: signal === null ? 0 : null, signal }
      return { ended: Promise.resolve(ended), stop: () => undefined }
    },
    now: () => now,
    log,
  })
  // As the kernel does when memory runs out: /readyz would fail for a day though nothing is wrong.
  for (const _signal of [...signals]) {
    await watch.look()
    assert.deepEqual(readVerification(index)?.faults ?? [], [])
    now += DAY_MS
  }
  assert.equal(started, 2)
  beginVerification(index)({ at: now + 30 * DAY_MS, faults: [] })
  await watch.look()
  assert.equal(started, 3, "it was written before the clock was set back")
})

test("an index file that was cut is named by a reading of it, whatever becomes of the process", async (t) => {
  const { path, index } = await writtenDirectory(t)
  truncateSync(join(index, "data.mdb"), 5 * 4_096)
  const watch = watchVerify({
    index,
    everyMs: DAY_MS,
    start: () => verifyOf(path),
    now: Date.now,
    log,
  })
  await watch.look()
  assert.match(readVerification(index)?.faults[0] ?? "", /cannot be read through/)
})

test("what is kept of a reading and cannot be read says nothing", async (t) => {
  const { index } = await writtenDirectory(t)
  for (const text of ["", "{}", '{"at":1,"faults":7}', "null"]) {
    writeFileSync(join(index, "verified.json"), text)
    assert.equal(readVerification(index), null)
  }
})
