import assert from "node:assert/strict"
import type { Cluster, Worker } from "node:cluster"
import { test } from "node:test"
import { setImmediate as turn, setTimeout as delay } from "node:timers/promises"
import { openLog } from "@assay/runtime/log"
import { TestWorker } from "../../testing/run/test-worker.ts"
import { forkWorker, startWorkers, type Workers } from "./workers.ts"

const log = openLog("error")

/** `hold`: the next worker becomes ready when the test says so. */
async function started(count: number): Promise<{
  readonly workers: Workers
  readonly forked: TestWorker[]
  hold: boolean
}> {
  const forked: TestWorker[] = []
  const state = { forked, hold: false }
  const fork = (): Worker => {
    const worker = new TestWorker(forked.length + 1, state.hold)
    forked.push(worker)
    return worker as unknown as Worker
  }
  const cluster = { fork } as unknown as Cluster
  const times = { stopMs: 1000, silentMs: 600_000 }
  const offered = { methods: () => ({}), onGone: () => undefined }
  const waiting = Array.from({ length: count }, () => forkWorker(cluster))
  const workers = await startWorkers(cluster, waiting, offered, times, log)
  return Object.assign(state, { workers })
}

const living = (forked: readonly TestWorker[]): number[] =>
  forked.filter(({ alive }) => alive).map(({ id }) => id)

async function until(holds: () => boolean): Promise<void> {
  for (const endsAt = performance.now() + 30_000; !holds();) {
    assert.ok(performance.now() < endsAt, "it does not come about")
    await delay(20)
  }
}

test("a worker that died while it waited for the stores ends the start at once", async () => {
  const worker = new TestWorker(1)
  const cluster = { fork: () => worker } as unknown as Cluster
  const forked = [forkWorker(cluster)]
  worker.die()
  await turn()
  const times = { stopMs: 1000, silentMs: 600_000 }
  const offered = { methods: () => ({}), onGone: () => undefined }
  await assert.rejects(startWorkers(cluster, forked, offered, times, log), /ended before it was/)
})

test("a restart during which a worker dies comes to its end, with as many workers as there were, and so does a stop", async () => {
  const { workers, forked } = await started(2)
  const [first, second] = forked as [TestWorker, TestWorker]
  first.once("exit", () => second.die())
  await workers.restart()
  // The one that died is replaced a second after its death.
  await until(() => living(forked).length === 2)
  assert.deepEqual(living(forked), [3, 4])
  await workers.stop()
  assert.deepEqual(living(forked), [])
})

test("a worker that dies while its successor starts is not replaced twice", async () => {
  const state = await started(1)
  const { workers, forked } = state
  state.hold = true
  const restarted = workers.restart()
  await until(() => forked.length === 2)
  state.hold = false
  forked[0]?.die()
  forked[1]?.ready()
  await restarted
  // Longer than a dead worker waits to be replaced.
  await delay(1200)
  assert.deepEqual(living(forked), [2])
  await workers.stop()
})

test("a worker that starts while the service stops does not outlive the stop", async () => {
  const state = await started(1)
  const { workers, forked } = state
  state.hold = true
  forked[0]?.die()
  await until(() => forked.length === 2)
  await workers.stop()
  forked[1]?.ready()
  await turn()
  assert.deepEqual(living(forked), [])
})
