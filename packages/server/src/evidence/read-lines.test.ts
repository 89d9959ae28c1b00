import assert from "node:assert/strict"
import { test } from "node:test"
import { EVIDENCE_LINES_MAX } from "@assay/core/contract"
import fc from "fast-check"
import type { TimeSlices } from "../http/time-slices.ts"
import { Problem } from "../base/problem.ts"
import { deriveSecrets } from "@assay/runtime/secrets"
import { readLines } from "./read-lines.ts"
import { problemOf } from "../intake/refusal.ts"

const secrets = deriveSecrets(new Uint8Array(32).fill(1))
const now = Date.UTC(2026, 10, 15, 12)
const line = {
  email: "ana.silva@mail.example",
  kind: "breach",
  source: "soc",
  observed_at: "2026-11-14",
}

test("an array and its lines are read alike, in order, a refused one in its place", async () => {
  const values = Array.from({ length: 450 }, (_, n) =>
    n % 7 === 3 ? { ...line, kind: "nonsense" } : { ...line, item: `log ${n}` },
  )
  const bytes = Buffer.from(values.map((value) => JSON.stringify(value)).join("\r\n\n"))
  const read = await readLines(values, secrets, now)
  assert.deepEqual(await readLines(bytes, secrets, now), read)
  assert.deepEqual(
    read.map((each) => "refusal" in each),
    values.map((_, n) => n % 7 === 3),
  )
})

test("a stored refusal is answered as the same problem", async () => {
  const [read] = await readLines([{ ...line, kind: "nonsense" }], secrets, now)
  assert.ok(read !== undefined && "refusal" in read)
  assert.deepEqual(problemOf(read), {
    type: "/problems/invalid-request",
    title: "The request does not fit its description",
    status: 400,
    code: "invalid-request",
    detail: "A member of the line does not fit.",
    errors: [{ pointer: "#/kind", detail: "must be one of the kinds of the reference" }],
  })
  const [password] = await readLines([{ ...line, password: "hunter2" }], secrets, now)
  assert.ok(password !== undefined && "refusal" in password)
  assert.doesNotMatch(password.refusal, /hunter2/)
  assert.ok(!("errors" in problemOf(password)))
})

test("no line is too few, 10,000 are the most", async () => {
  const refusedAs = (code: string) => (error: unknown) =>
    error instanceof Problem && error.code === code
  for (const body of [[], Buffer.from(""), Buffer.from("\n \r\n\n")])
    await assert.rejects(readLines(body, secrets, now), refusedAs("invalid-request"))
  for (const body of [
    Array<number>(EVIDENCE_LINES_MAX + 1).fill(1),
    Buffer.from("1\n".repeat(EVIDENCE_LINES_MAX + 1)),
    Buffer.from(`${"1\n".repeat(EVIDENCE_LINES_MAX)}1`),
  ])
    await assert.rejects(readLines(body, secrets, now), refusedAs("body-too-large"))
  const full = Buffer.from("1\n".repeat(EVIDENCE_LINES_MAX))
  assert.equal((await readLines(full, secrets, now)).length, EVIDENCE_LINES_MAX)
})

test("any bytes are as many lines as they have, and only a whole good one is taken", async () => {
  const good = Buffer.from(JSON.stringify(line))
  const piece = fc.oneof(
    fc.constant(good),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes.filter((b) => b !== 0x0a))),
    fc.nat(good.length - 1).map((length) => good.subarray(0, length)),
  )
  const property = fc.asyncProperty(
    fc.array(piece, { minLength: 1, maxLength: 8 }),
    async (pieces) => {
      const body = Buffer.concat([good, ...pieces.flatMap((each) => [Buffer.from("\n"), each])])
      const read = await readLines(body, secrets, now)
      const notBlank = pieces.filter((each) => !/^[ \t\r]*$/.test(each.toString("latin1")))
      assert.equal(read.length, 1 + notBlank.length)
      assert.deepEqual(
        read.slice(1).map((each) => "refusal" in each),
        notBlank.map((each) => !each.equals(good)),
      )
    },
  )
  await fc.assert(property, { seed: 20_261_115, numRuns: 500 })
})

test("others get their turn as often as it is time, also while blank lines are passed over", async () => {
  let turns = 0
  const slices: TimeSlices = {
    isOver: () => true,
    async next() {
      turns++
    },
  }
  const blank = Buffer.from(`${"\n".repeat(100_000)}${JSON.stringify(line)}`)
  assert.equal((await readLines(blank, secrets, now, slices)).length, 1)
  assert.ok(turns >= 24, `${turns} turns for 100,000 blank lines`)
  turns = 0
  await readLines(Array(500).fill(line), secrets, now, slices)
  assert.equal(turns, 500)
})
