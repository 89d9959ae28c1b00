import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { Problem } from "../base/problem.ts"
import { type Attempt, openGuesses, type TakenAttempt } from "./guesses.ts"

const refused = (error: unknown): boolean =>
  error instanceof Problem && error.code === "guesses-exceeded"

test("an account has ten failed attempts in a quarter of an hour, from wherever they come", () => {
  const clock = { ms: 0 }
  const guesses = openGuesses(() => clock.ms, null)
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
  const guesses = openGuesses(() => 0, null)
  for (let n = 0; n < 50; n++) guesses.take({ network: "n", account: `a${n}`, device: null })
  assert.throws(() => guesses.take({ network: "n", account: "new", device: null }), refused)
  for (let n = 0; n < 100; n++) guesses.take({ network: null, account: `b${n}`, device: null })
})

test("a browser that signed in before has its own attempts, whatever others did", () => {
  const guesses = openGuesses(() => 0, null)
  for (let n = 0; n < 10; n++) guesses.take({ network: "n", account: "a", device: null })
  assert.throws(() => guesses.take({ network: "n", account: "a", device: null }), refused)
  for (let n = 0; n < 10; n++) guesses.take({ network: "n", account: "a", device: "own" })
  assert.throws(() => guesses.take({ network: "n", account: "a", device: "own" }), refused)
  guesses.take({ network: "n", account: "a", device: "second" })
})

test("attempts that succeed are given back", async () => {
  const guesses = openGuesses(() => 0, null)
  for (let n = 0; n < 100; n++)
    await guesses.take({ network: "n", account: "a", device: null }).giveBack()
  for (let n = 0; n < 10; n++) guesses.take({ network: "n", account: "a", device: null })
  assert.throws(() => guesses.take({ network: "n", account: "a", device: null }), refused)
})

test("a flood of names neither grows without bound nor frees an account that is used up", () => {
  const guesses = openGuesses(() => 0, null)
  for (let n = 0; n < 10; n++) guesses.take({ network: null, account: "a", device: null })
  global.gc?.()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < 60_000; n++)
    guesses.take({ network: `n${n}`, account: `flood${n}`, device: null })
  assert.ok(process.memoryUsage().heapUsed - before < 200 * 1024 * 1024)
  assert.throws(() => guesses.take({ network: null, account: "a", device: null }), refused)
})

test("nodes that share the records count together, and each forgets what all refused", async () => {
  const subkey = new Uint8Array(32).fill(7)
  const folder = mkdtempSync(join(tmpdir(), "assay-"))
  after(() => rmSync(folder, { recursive: true }))
  const records = await openSqliteRecords({
    file: join(folder, "records.sqlite"),
    auditKey: subkey,
  })
  after(() => records.close())
  await records.migrate()
  const shared = { records, subkey }
  const nodes = [1, 2, 3].map(() => openGuesses(() => 0, shared))
  const guess = (n: number, attempt: Partial<Attempt> = {}): TakenAttempt =>
    (nodes[n % 3] ?? assert.fail()).take({ network: "n", account: "a", device: null, ...attempt })
  for (let n = 0; n < 10; n++) await guess(n).everywhere()
  // Each node has counted three or four of the ten, and looks at no more, however often it is
  // asked.
  for (let n = 0; n < 30; n++) await assert.rejects(guess(n).everywhere(), refused)
  await guess(0, { account: "b" }).everywhere()
  await guess(1, { device: "own" }).everywhere()
  // The network had eleven, and what was refused took none of it.
  for (let n = 0; n < 39; n++) await guess(n, { account: `c${n}` }).everywhere()
  await assert.rejects(guess(0, { account: "new" }).everywhere(), refused)
  await guess(0, { account: "new", network: "other" }).everywhere()
  // What succeeds is given back to all.
  for (let n = 0; n < 30; n++) {
    const attempt = guess(n, { account: "d", network: null })
    await attempt.everywhere()
    await attempt.giveBack()
  }
})
