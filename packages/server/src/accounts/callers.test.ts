import assert from "node:assert/strict"
import { test, type TestContext } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type { ApiKey } from "@assay/stores/records"
import { mintApiKey } from "./api-key.ts"
import { type Callers, openCallers } from "./callers.ts"

/** Callers over one key that has been asked for once, and what a test may change. */
async function calledOnce(t: TestContext, expiresAt: number | null = null) {
  t.mock.timers.enable({ apis: ["setInterval"] })
  const state = {
    version: 1,
    nowMs: 1_000,
    elapsedMs: 0,
    asked: 0,
    revokedAt: null as number | null,
    areSilent: false,
    /** Where it is set, what the next questions for the version are answered with. */
    answers: null as Promise<number>[] | null,
  }
  const key = { id: "k", tenantId: null, scopes: ["score"], createdAt: 0, expiresAt }
  const callers = openCallers({
    accounts: {
      accountsVersion: async () =>
        state.areSilent
          ? await new Promise<never>(() => undefined)
          : ((await state.answers?.shift()) ?? state.version),
      async keyByHash() {
        state.asked++
        return {
          key: { ...key, revokedAt: state.revokedAt } as unknown as ApiKey,
          tenant: null,
          shadow: null,
        }
      },
    },
    now: () => state.nowMs,
    elapsed: () => state.elapsedMs,
    demoKeysAllowed: false,
  })
  t.after(() => callers.close())
  const authorization = `Bearer ${mintApiKey()}`
  assert.equal(callers.known(authorization), null)
  await callers.authenticate(authorization)
  // The second call finds it by the header, the first by the hash of its key.
  for (let n = 0; n < 2; n++) assert.equal(callers.known(authorization)?.keyId, "k")
  return { callers, state, authorization, poll: () => polled(t) }
}

async function polled(t: TestContext): Promise<void> {
  t.mock.timers.tick(2_000)
  await new Promise((resolve) => setImmediate(resolve))
}

const isKnown = (callers: Callers, authorization: string): boolean =>
  callers.known(authorization) !== null

test("a caller is known by the same key however the header is written, and by no other", async (t) => {
  const { callers, authorization, state } = await calledOnce(t)
  assert.ok(isKnown(callers, authorization.replace("Bearer", "bearer")))
  assert.ok(!isKnown(callers, `${authorization}x`))
  assert.ok(!isKnown(callers, authorization.slice(0, -1)))
  assert.ok(!isKnown(callers, ""))
  assert.equal(state.asked, 1)
})

test("a key that changed is not known any more from the next poll on", async (t) => {
  const { callers, authorization, state, poll } = await calledOnce(t)
  await poll()
  assert.ok(isKnown(callers, authorization))
  state.version++
  state.revokedAt = 1
  await poll()
  assert.ok(!isKnown(callers, authorization))
  await assert.rejects(async () => callers.authenticate(authorization))
})

test("a key is not known past its end", async (t) => {
  const { callers, authorization, state } = await calledOnce(t, 2_000)
  state.nowMs = 1_999
  assert.ok(isKnown(callers, authorization))
  state.nowMs = 2_000
  assert.ok(!isKnown(callers, authorization))
})

test("nobody is known by what was remembered too long ago", async (t) => {
  const { callers, authorization, state } = await calledOnce(t)
  state.elapsedMs = 4_001
  assert.ok(!isKnown(callers, authorization))
  assert.equal((await callers.authenticate(authorization)).keyId, "k")
  assert.ok(isKnown(callers, authorization))
})

test("an answer that was long on its way is as old as its question", async (t) => {
  const { callers, authorization, state, poll } = await calledOnce(t)
  const slow = Promise.withResolvers<number>()
  state.answers = [slow.promise]
  state.elapsedMs = 2_000
  await poll()
  state.elapsedMs = 6_001
  slow.resolve(1)
  await new Promise((resolve) => setImmediate(resolve))
  assert.ok(!isKnown(callers, authorization))
  // Revoked after it was asked.
  state.version++
  state.revokedAt = 1
  await assert.rejects(async () => callers.authenticate(authorization), /not valid here/)
})

test("an answer that comes after that of a later question changes nothing", async (t) => {
  const { callers, authorization, state, poll } = await calledOnce(t)
  const slow = Promise.withResolvers<number>()
  state.answers = [slow.promise]
  state.elapsedMs = 2_000
  await poll()
  state.version++
  state.elapsedMs = 4_000
  await poll()
  await callers.authenticate(authorization)
  assert.equal(state.asked, 2)
  slow.resolve(1)
  await new Promise((resolve) => setImmediate(resolve))
  state.elapsedMs = 8_000
  assert.ok(isKnown(callers, authorization))
  state.elapsedMs = 8_001
  assert.ok(!isKnown(callers, authorization))
})

test("the first request waits for records that are slow, since nothing is known of keys before", async (t) => {
  const slow = Promise.withResolvers<number>()
  const callers = openCallers({
    accounts: {
      accountsVersion: () => slow.promise,
      keyByHash: async () => ({
        key: {
          id: "k",
          tenantId: null,
          scopes: [],
          expiresAt: null,
          revokedAt: null,
        } as unknown as ApiKey,
        tenant: null,
        shadow: null,
      }),
    },
    now: () => 0,
    elapsed: () => 0,
    demoKeysAllowed: false,
  })
  t.after(() => callers.close())
  const answers = [1, 2].map(async () => callers.authenticate(`Bearer ${mintApiKey()}`))
  await delay(1_200)
  slow.resolve(1)
  for (const { keyId } of await Promise.all(answers)) assert.equal(keyId, "k")
})

test("while the records are silent one request waits for a second, the next ones for nothing, and after a minute all are refused", async (t) => {
  const { callers, authorization, state, poll } = await calledOnce(t)
  state.areSilent = true
  state.elapsedMs = 4_001
  assert.ok(!isKnown(callers, authorization))
  const startedAt = performance.now()
  assert.equal((await callers.authenticate(authorization)).keyId, "k")
  assert.ok(performance.now() - startedAt > 900)
  assert.ok(isKnown(callers, authorization))
  state.elapsedMs = 60_000
  await poll()
  assert.ok(isKnown(callers, authorization))
  state.elapsedMs = 60_001
  assert.ok(!isKnown(callers, authorization))
  await assert.rejects(async () => callers.authenticate(authorization), { code: "unavailable" })

  state.areSilent = false
  state.version++
  state.revokedAt = 1
  await poll()
  await assert.rejects(async () => callers.authenticate(authorization), /not valid here/)
})
