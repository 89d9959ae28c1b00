import assert from "node:assert/strict"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { fileURLToPath } from "node:url"
import type { End, SpokenCommand } from "@assay/runtime/children"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { openLog } from "@assay/runtime/log"
import { keyOf } from "@assay/stores/testing/exposure-index-process-suite"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import { linkedGeneration } from "@assay/stores/lmdb/generations"
import { readIndexFacts } from "@assay/stores/lmdb/index-facts"
import { importedBatch } from "@assay/stores/testing/opened-index-suite"
import { temporaryDirectory } from "@assay/stores/testing/second-process-suite"
import { DAY_MS } from "@assay/runtime/time"
import { startCompaction, watchCompaction } from "./keep-compacted.ts"

const main = fileURLToPath(new URL("../main.ts", import.meta.url))
const log = openLog("error")

/** A command that says nothing. */
const silent: Omit<SpokenCommand, "ended"> = {
  stop: () => undefined,
  channel: { send: () => undefined, onMessage: () => undefined, onClose: () => undefined },
}

/** A data directory in whose index somebody was erased eight days ago. */
async function erasedDirectory(t: TestContext): Promise<{ path: string; index: string }> {
  const path = join(await temporaryDirectory(t), "data")
  const { index } = openDataDirectory(path)
  const opened = await openLmdbIndex({ path: index, now: () => Date.now() - 8 * DAY_MS })
  await importedBatch(opened, "file", [keyOf(1), keyOf(2)])
  await opened.erase(keyOf(1))
  await opened.close()
  return { path, index }
}

test("an index with an old erasure is compacted by another process while this one reads it, once", async (t) => {
  const { path, index } = await erasedDirectory(t)
  const reader = await openLmdbIndex({ path: index, readOnly: true })
  t.after(() => reader.close())
  let started = 0
  const told: unknown[] = []
  const watch = watchCompaction({
    facts: () => readIndexFacts(index),
    start: () => {
      started++
      const env = { PATH: process.env["PATH"] ?? "", ASSAY_DATA: path }
      const command = startCompaction({ exec: main, execArgv: ["--conditions=source"] }, env)
      command.channel.onMessage((message) => void told.push(message))
      return command
    },
    now: Date.now,
    elapsed: () => performance.now(),
    log,
  })
  await watch.look()
  assert.equal(linkedGeneration(index), 1)
  assert.deepEqual(told.at(-1), { compacted: { done: 2, total: 2 } })
  assert.equal((await reader.lookup(keyOf(1), null)).erased, true)
  assert.equal((await reader.lookup(keyOf(2), null)).entries.length, 1)
  assert.equal((await readIndexFacts(index)).erasures, null)
  await watch.look()
  assert.equal(started, 1)
})

test("how far a compaction is comes from its process, and the log says it now and then", async (t) => {
  const { index } = await erasedDirectory(t)
  let elapsed = 0
  let tell: (message: unknown) => void = () => undefined
  const begun = Promise.withResolvers<undefined>()
  const ended = Promise.withResolvers<End>()
  const lines: Record<string, unknown>[] = []
  const watch = watchCompaction({
    facts: () => readIndexFacts(index),
    start() {
      begun.resolve(undefined)
      const onMessage = (listener: typeof tell): void => void (tell = listener)
      return { ...silent, channel: { ...silent.channel, onMessage }, ended: ended.promise }
    },
    now: Date.now,
    elapsed: () => elapsed,
    log: openLog("info", { write: (line) => void lines.push(JSON.parse(line) as never) }),
  })
  assert.equal(watch.state(), null)
  const looking = watch.look()
  await begun.promise
  assert.deepEqual(watch.state(), { share: null, secondsLeft: null })
  tell({ compacted: { done: 0, total: 400 } })
  elapsed = 5_000
  tell({ compacted: { done: 100, total: 400 } })
  assert.deepEqual(watch.state(), { share: 0.25, secondsLeft: 15 })
  elapsed = 15_000
  tell({ compacted: { done: 300, total: 400 } })
  assert.deepEqual(watch.state(), { share: 0.75, secondsLeft: 5 })
  elapsed = 20_000
  tell({ compacted: { done: 400, total: 400 } })
  assert.deepEqual(watch.state(), { share: 1, secondsLeft: 0 })
  ended.resolve({ exitCode: 0, signal: null })
  await looking
  tell({ compacted: { done: 1, total: 400 } })
  assert.equal(watch.state(), null, "news of one that has ended is none")
  assert.deepEqual(
    lines.map(({ msg, count, total, secondsLeft }) => [msg, count, total, secondsLeft]),
    [
      ["the index is being compacted", undefined, undefined, undefined],
      ["the index is being written anew", 300, 400, 5],
      ["the index was compacted", undefined, undefined, undefined],
    ],
  )
})

test("what failed is tried again after a day and not before, and a stop ends what runs", async (t) => {
  const { index } = await erasedDirectory(t)
  let elapsed = 0
  let started = 0
  let stopped = 0
  const begun = Promise.withResolvers<undefined>()
  const ended = Promise.withResolvers<End>()
  const watch = watchCompaction({
    facts: () => readIndexFacts(index),
    start: () => {
      started++
      if (started === 2) begun.resolve(undefined)
      if (started === 1) return { ...silent, ended: Promise.resolve({ exitCode: 1, signal: null }) }
      const stop = (): void => {
        stopped++
        ended.resolve({ exitCode: null, signal: "SIGKILL" })
      }
      return { ...silent, ended: ended.promise, stop }
    },
    now: Date.now,
    elapsed: () => elapsed,
    log,
  })
  await watch.look()
  elapsed += DAY_MS - 1
  await watch.look()
  assert.equal(started, 1)
  elapsed += 1
  const looking = watch.look()
  // The facts are read before anything is started.
  await begun.promise
  elapsed += 2 * DAY_MS
  await watch.look()
  assert.equal(started, 2)
  await watch.stop()
  await looking
  assert.equal(stopped, 1)
})

test("a clock that is set back or forth puts no compaction off, nor does it bring one on", async (t) => {
  const { index } = await erasedDirectory(t)
  let now = Date.now() + 300 * DAY_MS
  let elapsed = 0
  let started = 0
  const watch = watchCompaction({
    facts: () => readIndexFacts(index),
    start: () => {
      started++
      return { ...silent, ended: Promise.resolve({ exitCode: 1, signal: null }) }
    },
    now: () => now,
    elapsed: () => elapsed,
    log,
  })
  await watch.look()
  now += 30 * DAY_MS
  await watch.look()
  assert.equal(started, 1, "no day has passed")
  now = Date.now()
  elapsed += DAY_MS
  await watch.look()
  assert.equal(started, 2, "a day has passed, whatever the date")
})

test("a stop while the facts are read keeps a compaction from being started after it", async (t) => {
  const { index } = await erasedDirectory(t)
  const asked = Promise.withResolvers<undefined>()
  const released = Promise.withResolvers<undefined>()
  let started = 0
  const watch = watchCompaction({
    async facts() {
      asked.resolve(undefined)
      await released.promise
      return await readIndexFacts(index)
    },
    start: () => {
      started++
      return { ...silent, ended: Promise.resolve({ exitCode: 0, signal: null }) }
    },
    now: Date.now,
    elapsed: () => performance.now(),
    log,
  })
  const looking = watch.look()
  await asked.promise
  await watch.stop()
  released.resolve(undefined)
  await looking
  assert.equal(started, 0, "nobody would end it")
})
