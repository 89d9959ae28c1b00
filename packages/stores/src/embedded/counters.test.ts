import assert from "node:assert/strict"
import { test } from "node:test"
import { countersSuite } from "../../testing/counters-suite.ts"
import { embeddedCounters } from "./counters.ts"

countersSuite("embedded", async (clocks) => embeddedCounters(clocks))

test("counts restored after a restart go on where they stood; those of another month or day do not", async () => {
  const now = (): number => Date.UTC(2026, 10, 14, 12)
  const tag = new Uint8Array(8).fill(1)
  const limits = { perSecond: 10, perMonth: 100 }
  const wanted = { requests: 0, lookups: 5 }

  const restored = embeddedCounters({ now, elapsed: now })
  restored.restore("2026-11", new Map([[1, 98]]), "2026-11-14", [{ tenantId: 1, tag }])
  assert.equal((await restored.lease(1, limits, wanted)).lookups, 2)
  assert.equal(await restored.admitIdentity(1, tag, 1), true)
  assert.deepEqual(await restored.admitIdentity(1, new Uint8Array(8), 1), [tag])

  const stale = embeddedCounters({ now, elapsed: now })
  stale.restore("2026-10", new Map([[1, 98]]), "2026-11-13", [{ tenantId: 1, tag }])
  assert.equal((await stale.lease(1, limits, wanted)).lookups, 5)
  assert.equal(await stale.admitIdentity(1, new Uint8Array(8), 1), true)
})

test("each admitted identity is written once, and again only where the writing failed", async () => {
  const now = (): number => Date.UTC(2026, 10, 14)
  const counters = embeddedCounters({ now, elapsed: now })
  const written: number[] = []
  const write = async (rows: readonly unknown[]): Promise<void> => void written.push(rows.length)
  await counters.admitIdentity(1, new Uint8Array(8), 5)
  await counters.admitIdentity(1, new Uint8Array(8), 5)
  await assert.rejects(counters.writeNewIdentities(async () => Promise.reject(new Error("away"))))
  await counters.admitIdentity(1, new Uint8Array(8).fill(1), 5)
  await counters.writeNewIdentities(write)
  await counters.writeNewIdentities(write)
  assert.deepEqual(written, [2])
})

test("streams are counted over all workers, and those of a worker that is gone are free again", async () => {
  const now = (): number => Date.UTC(2026, 10, 14)
  const counters = embeddedCounters({ now, elapsed: now })
  const [first, second] = [counters.holdStreamsOf(1), counters.holdStreamsOf(2)]
  assert.equal(await first(1, 1, 2), true)
  assert.equal(await second(1, 1, 2), true)
  assert.equal(await second(1, 2, 2), false)
  counters.forgetWorker(1)
  assert.equal(await second(1, 2, 2), true)
  assert.equal(await counters.holdStreamsOf(3)(1, 1, 2), false)
})
