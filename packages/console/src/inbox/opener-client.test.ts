import assert from "node:assert/strict"
import { test } from "node:test"
import type { CallMessage } from "./opener-calls.ts"
import { openerOf, SILENCE_MS } from "./opener-client.ts"

/**
 * A worker that answers what the test answers for it, and can be ended without a word as browsers
 * do.
 */
class SilentWorker extends EventTarget {
  readonly asked: CallMessage[] = []
  terminated = 0
  postMessage(message: CallMessage): void {
    this.asked.push(message)
  }
  terminate(): void {
    this.terminated++
  }
  answer(result: unknown): void {
    const id = this.asked.shift()?.id
    this.dispatchEvent(Object.assign(new Event("message"), { data: { id, result } }))
  }
}

const opened = () => {
  const worker = new SilentWorker()
  return { worker, opener: openerOf(worker as unknown as Worker) }
}
const failed = { name: "OpenerFailure", fault: "failed" }

test("a worker that was ended without a word fails all calls, and so does every later one", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] })
  const { worker, opener } = opened()
  const calls = [opener.openMessage(new Blob()), opener.openNote(new Blob())]
  t.mock.timers.tick(SILENCE_MS - 1)
  assert.equal(worker.terminated, 0)
  t.mock.timers.tick(1)
  for (const call of calls) await assert.rejects(call, failed)
  assert.equal(worker.terminated, 1, "one that only hangs must not go on with the keys it has")
  await assert.rejects(opener.openNote(new Blob()), failed)
})

test("a worker that goes on answering has all the time it takes, and one that is asked nothing too", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] })
  const { worker, opener } = opened()
  const first = opener.isLocked(new Uint8Array())
  const second = opener.isLocked(new Uint8Array())
  t.mock.timers.tick(SILENCE_MS - 1)
  worker.answer(true)
  t.mock.timers.tick(SILENCE_MS - 1)
  worker.answer(false)
  assert.deepEqual([await first, await second], [true, false])
  t.mock.timers.tick(10 * SILENCE_MS)
  const third = opener.isLocked(new Uint8Array())
  worker.answer(true)
  assert.equal(await third, true)
  assert.equal(worker.terminated, 0)
})
