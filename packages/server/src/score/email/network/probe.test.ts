import assert from "node:assert/strict"
import { test } from "node:test"
import { LookupFailure } from "./lookup-failure.ts"
import { type Answer, FAILED, openProbe, type Probe, type ProbeLimits } from "./probe.ts"

interface Said extends Answer {
  readonly text: string
}

interface Asked {
  readonly name: string
  readonly says: (text: string) => void
  readonly fails: (error: Error) => void
}

const LIMITS: ProbeLimits = {
  togetherMax: 10,
  waitingMax: 10,
  namesCached: 100,
  failuresMax: 2,
  pauseMs: 1000,
  failedKeepMs: 100,
}

/** A probe whose provider is the test itself. */
function opened(limits: Partial<ProbeLimits> = {}): {
  probe: Probe<Said>
  asked: Asked[]
  clock: { ms: number }
  breaker: boolean[]
} {
  const asked: Asked[] = []
  const clock = { ms: 0 }
  const breaker: boolean[] = []
  const probe = openProbe<Said>({
    ask: (name) => {
      const { promise, resolve, reject } = Promise.withResolvers<Said>()
      asked.push({ name, says: (text) => resolve({ status: "answered", text }), fails: reject })
      return promise
    },
    keepMs: ({ text }) => (text === "no" ? 300 : 600),
    limits: { ...LIMITS, ...limits },
    now: () => clock.ms,
    onBreaker: (open) => void breaker.push(open),
  })
  return { probe, asked, clock, breaker }
}

test("however many wait for a name, it is asked once, and they all get the answer", async () => {
  const { probe, asked } = opened()
  const waiting = ["a.example", "a.example", "b.example"].map(async (name) => probe.find(name))
  assert.deepEqual(
    asked.map(({ name }) => name),
    ["a.example", "b.example"],
  )
  asked[0]?.says("a")
  asked[1]?.says("b")
  assert.deepEqual(
    (await Promise.all(waiting)).map((found) => (found as Said).text),
    ["a", "a", "b"],
  )
})

test("a known answer comes at once and not as a promise, for as long as its kind is kept", async () => {
  const { probe, asked, clock } = opened()
  for (const [name, says] of [
    ["yes.example", "yes"],
    ["no.example", "no"],
  ] as const) {
    const finding = probe.find(name)
    asked.at(-1)?.says(says)
    await finding
  }
  clock.ms = 299
  assert.deepEqual(probe.find("no.example"), { status: "answered", text: "no" })
  clock.ms = 300
  assert.ok(probe.find("no.example") instanceof Promise)
  assert.deepEqual(probe.find("yes.example"), { status: "answered", text: "yes" })
  assert.equal(asked.length, 3)
})

test("a failure is kept briefly, then the name is asked for again", async () => {
  const { probe, asked, clock } = opened()
  const finding = probe.find("a.example")
  asked[0]?.fails(new LookupFailure("name"))
  assert.equal(await finding, FAILED)
  clock.ms = 99
  assert.equal(probe.find("a.example"), FAILED)
  assert.equal(asked.length, 1)
  clock.ms = 100
  const again = probe.find("a.example")
  asked[1]?.says("well again")
  assert.deepEqual(await again, { status: "answered", text: "well again" })
})

test("a provider that fails is not asked until the pause is over, and then once", async () => {
  const { probe, asked, clock, breaker } = opened()
  for (const name of ["a.example", "b.example"]) {
    const finding = probe.find(name)
    asked.at(-1)?.fails(new LookupFailure("provider"))
    assert.equal(await finding, FAILED)
  }
  assert.deepEqual(breaker, [true])
  assert.equal(probe.find("c.example"), FAILED)
  clock.ms = 1000
  const trial = probe.find("c.example")
  assert.equal(probe.find("d.example"), FAILED)
  assert.equal(asked.length, 3)
  asked[2]?.says("back")
  assert.deepEqual(await trial, { status: "answered", text: "back" })
  assert.deepEqual(breaker, [true, false])
  assert.ok(probe.find("d.example") instanceof Promise)
})

test("names that cannot be answered for do not stop questions about others", async () => {
  const { probe, asked, breaker } = opened()
  for (let n = 0; n < 10; n++) {
    const finding = probe.find(`broken${n}.example`)
    asked.at(-1)?.fails(new LookupFailure("name"))
    assert.equal(await finding, FAILED)
  }
  assert.deepEqual(breaker, [])
  assert.ok(probe.find("sound.example") instanceof Promise)
})

test("a fault of our own counts as a failure and reaches nobody as an exception", async () => {
  const { probe, asked } = opened()
  const finding = probe.find("a.example")
  asked[0]?.fails(new TypeError("a bug"))
  assert.equal(await finding, FAILED)
})

test("a full queue fails at once, without asking and without remembering it", async () => {
  const { probe, asked } = opened({ togetherMax: 1, waitingMax: 1 })
  const first = probe.find("a.example")
  const second = probe.find("b.example")
  assert.equal(probe.find("c.example"), FAILED)
  asked[0]?.says("a")
  await first
  asked[1]?.says("b")
  await second
  assert.ok(probe.find("c.example") instanceof Promise)
})

test("names that waited while the provider failed are not asked for", async () => {
  const { probe, asked } = opened({ togetherMax: 1, failuresMax: 1 })
  const first = probe.find("a.example")
  const second = probe.find("b.example")
  asked[0]?.fails(new LookupFailure("provider"))
  assert.equal(await first, FAILED)
  assert.equal(await second, FAILED)
  assert.equal(asked.length, 1)
})

test("a closed probe asks nobody, neither for new names nor for those that waited", async () => {
  const { probe, asked } = opened({ togetherMax: 1 })
  const first = probe.find("a.example")
  const second = probe.find("b.example")
  probe.close()
  assert.equal(probe.find("c.example"), FAILED)
  asked[0]?.says("a")
  await first
  assert.equal(await second, FAILED)
  assert.equal(asked.length, 1)
})
