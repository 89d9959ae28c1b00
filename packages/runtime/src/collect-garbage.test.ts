import assert from "node:assert/strict"
import { once } from "node:events"
import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks"
import { test, type TestContext } from "node:test"
import { setImmediate as turn, setTimeout as delay } from "node:timers/promises"
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext, Script } from "node:vm"
import { Worker } from "node:worker_threads"
import { collectGarbage, collectOnceQuiet } from "./collect-garbage.ts"

const MB = 2 ** 20

/** What nobody holds any more, young and old. */
function leaveGarbage(): void {
  for (let round = 0; round < 40; round++) {
    const kept = Array.from({ length: 50_000 }, (_, n) => ({ n }))
    assert.equal(kept.length, 50_000)
  }
}

function newObjectsRoom(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")
  return space?.physical_space_size ?? Number.NaN
}

test("what nobody holds is collected, and the room for new objects given back", () => {
  const held = Array.from({ length: 1000 }, (_, n) => ({ n }))
  leaveGarbage()
  const room = newObjectsRoom()
  const used = getHeapStatistics().used_heap_size
  collectGarbage()
  assert.ok(room > MB, `${room} bytes of room before: nothing to give back`)
  assert.ok(newObjectsRoom() < room / 2, `${newObjectsRoom()} of ${room} bytes of room`)
  assert.ok(getHeapStatistics().used_heap_size < used)
  assert.equal(held[999]?.n, 999)
})

test("nobody else can collect afterwards, and code kept before is still taken", () => {
  // V8 knows a text it has just compiled. One of the same length is told from it by its code alone.
  const cachedData = new Script("function answer() { return 0 }; answer()").createCachedData()
  const isRefused = (digit: number): boolean | undefined =>
    new Script(`function answer() { return ${digit} }; answer()`, { cachedData }).cachedDataRejected
  collectGarbage()
  assert.equal(runInNewContext("typeof gc"), "undefined")
  assert.equal(isRefused(1), false)
  setFlagsFromString("--expose-gc")
  assert.equal(isRefused(2), true)
  setFlagsFromString("--no-expose-gc")
})

test("threads that collect at one moment are in nobody's way", async () => {
  const module = new URL("./collect-garbage.ts", import.meta.url).href
  const program = `import(${JSON.stringify(module)}).then(({ collectGarbage }) => {
    for (let n = 0; n < 20; n++) collectGarbage()
  })`
  const threads = Array.from({ length: 3 }, () => new Worker(program, { eval: true }))
  const exits = threads.map(async (thread) => {
    const [code] = (await once(thread, "exit")) as [number]
    return code
  })
  const codes = await Promise.all(exits)
  assert.deepEqual(codes, [0, 0, 0])
})

interface Collected extends PerformanceEntry {
  readonly detail: { readonly flags: number }
}

/** Tells of each time that all garbage of this thread was collected, at least twice in a row. */
function watchCollections(context: TestContext): { readonly times: number[] } {
  const times: number[] = []
  const observer = new PerformanceObserver((list) => {
    for (const { detail, startTime } of list.getEntries() as Collected[])
      if (detail.flags === constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE)
        times.push(startTime)
  })
  observer.observe({ entryTypes: ["gc"] })
  context.after(() => observer.disconnect())
  return { times }
}

test("a busy thread collects when it has become quiet, and once", async (context) => {
  const { times } = watchCollections(context)
  collectOnceQuiet({ afterMs: 20, quietMs: 50 })
  for (const until = performance.now() + 500; performance.now() < until;) await turn()
  const quietFrom = performance.now()
  while (times.length === 0) await delay(20)
  assert.ok(Math.min(...times) > quietFrom)
  await delay(100)
  const collected = times.length
  await delay(300)
  assert.equal(times.length, collected)
})

test("a thread with nothing else to do is not kept alive until it would collect", async () => {
  const module = new URL("./collect-garbage.ts", import.meta.url).href
  const program = `import(${JSON.stringify(module)}).then(({ collectOnceQuiet }) => {
    collectOnceQuiet({ afterMs: 1, quietMs: 60_000 })
    setTimeout(() => {}, 100)
  })`
  const startedAt = performance.now()
  await once(new Worker(program, { eval: true }), "exit")
  assert.ok(performance.now() - startedAt < 30_000)
})
