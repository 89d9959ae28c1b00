import assert from "node:assert/strict"
import { test } from "node:test"
import { Problem } from "../base/problem.ts"
import { openGuesses } from "./guesses.ts"

const refused = (error: unknown): boolean =>
  error instanceof Problem && error.code === "guesses-exceeded"

test("an account has ten failed attempts in a quarter of an hour, from wherever they come", () => {
  const clock = { ms: 0 }
  const guesses = openGuesses(() => clock.ms)
  for (let n = 0; n < 10; n++) guesses.take({ network: `n${n}`, account: "a", device: null })
  const next = { network: "other", account: "a", device: null }
  assert.throws(() => guesses.take(next), refused)
  assert.throws(() => guesses.take(next), /in 900 seconds/)
  guesses.take({ ...next, account: "b" })
  clock.ms = 15 * 60_000 - 1
  assert.throws(() => guesses.take(next), refused)
  clock.ms++
  guesses.take(next)
})

test("a network has fifty, whomever they are for; one that is not known is not counted", () => {
  const guesses = openGuesses(() => 0)
  for (let n = 0; n < 50; n++) guesses.take({ network: "n", account: `a${n}`, device: null })
  assert.throws(() => guesses.take({ network: "n", account: "new", device: null }), refused)
  for (let n = 0; n < 100; n++) guesses.take({ network: null, account: `b${n}`, device: null })
})

test("a browser that signed in before has its own attempts, whatever others did", () => {
  const guesses = openGuesses(() => 0)
  for (let n = 0; n < 10; n++) guesses.take({ network: "n", account: "a", device: null })
  assert.throws(() => guesses.take({ network: "n", account: "a", device: null }), refused)
  for (let n = 0; n < 10; n++) guesses.take({ network: "n", account: "a", device: "own" })
  assert.throws(() => guesses.take({ network: "n", account: "a", device: "own" }), refused)
  guesses.take({ network: "n", account: "a", device: "second" })
})

test("attempts that succeed are given back", () => {
  const guesses = openGuesses(() => 0)
  for (let n = 0; n < 100; n++) guesses.take({ network: "n", account: "a", device: null })()
  for (let n = 0; n < 10; n++) guesses.take({ network: "n", account: "a", device: null })
  assert.throws(() => guesses.take({ network: "n", account: "a", device: null }), refused)
})

test("a flood of names neither grows without bound nor frees an account that is used up", () => {
  const guesses = openGuesses(() => 0)
  for (let n = 0; n < 10; n++) guesses.take({ network: null, account: "a", device: null })
  global.gc?.()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < 60_000; n++)
    guesses.take({ network: `n${n}`, account: `flood${n}`, device: null })
  assert.ok(process.memoryUsage().heapUsed - before < 200 * 1024 * 1024)
  assert.throws(() => guesses.take({ network: null, account: "a", device: null }), refused)
})
