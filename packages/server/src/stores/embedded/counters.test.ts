import assert from "node:assert/strict"
import { test } from "node:test"
import { countersSuite } from "../counters-suite.ts"
import { embeddedCounters } from "./counters.ts"

countersSuite("embedded", async (now) => embeddedCounters(now))

test("counts restored after a restart go on where they stood; those of another month or day do not", async () => {
  const now = (): number => Date.UTC(2026, 10, 14, 12)
  const tag = new Uint8Array(8).fill(1)
  const limits = { perSecond: 10, perMonth: 100 }

  const restored = embeddedCounters(now)
  restored.restore("2026-11", new Map([[1, 98]]), "2026-11-14", [{ tenantId: 1, tag }])
  assert.equal((await restored.lease(1, limits, 5)).granted, 2)
  assert.equal(await restored.admitIdentity(1, tag, 1), true)
  assert.equal(await restored.admitIdentity(1, new Uint8Array(8), 1), false)

  const stale = embeddedCounters(now)
  stale.restore("2026-10", new Map([[1, 98]]), "2026-11-13", [{ tenantId: 1, tag }])
  assert.equal((await stale.lease(1, limits, 5)).granted, 5)
  assert.equal(await stale.admitIdentity(1, new Uint8Array(8), 1), true)
})

test("each admitted identity is written once, and again only where the writing failed", async () => {
  const counters = embeddedCounters(() => Date.UTC(2026, 10, 14))
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
