import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { type Challenge, type Payload, solveChallenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/pbkdf2"
import { openSqliteDrops } from "../stores/sqlite/drops.ts"
import { formToken } from "./form-tokens.ts"
import { EFFORT_MAX } from "@assay/core/drop"
import { openTickets, signedTicket } from "./tickets.ts"

const SOAK = process.env["ASSAY_SOAK"] !== undefined
const MINUTE_MS = 60_000

const folder = mkdtempSync(join(tmpdir(), "assay-tickets-"))
const drops = await openSqliteDrops(folder)
const secret = randomBytes(32)
const clock = { now: Date.now(), doublings: 0 }
const tickets = openTickets({
  secret,
  drops,
  doublings: () => clock.doublings,
  now: () => clock.now,
})
let solved: Payload

before(async () => {
  const challenge = await tickets.challenge(1)
  const solution = await solveChallenge({ challenge, deriveKey })
  assert.ok(solution !== null)
  solved = { challenge, solution }
})
after(async () => {
  await drops.close()
  rmSync(folder, { recursive: true })
})

const changed = (parameters: Partial<Challenge["parameters"]>): Payload => ({
  ...solved,
  challenge: { ...solved.challenge, parameters: { ...solved.challenge.parameters, ...parameters } },
})

test("T38: a solution for less work, another nonce, a later end or more effort is refused", async () => {
  const { parameters } = solved.challenge
  for (const wrong of [
    changed({ cost: 1 }),
    changed({ nonce: randomBytes(16).toString("hex") }),
    changed({ salt: randomBytes(16).toString("hex") }),
    changed({ expiresAt: (parameters.expiresAt ?? 0) + 1 }),
    changed({ data: { effort: 3 } }),
    changed({ keyPrefix: "00" }),
    { ...solved, solution: { ...solved.solution, derivedKey: "00".repeat(32) } },
    { ...solved, challenge: { parameters } },
  ])
    assert.equal(await tickets.ticketFor(wrong), null)
})

test("T38: what is no solution is refused, whatever its shape", async () => {
  for (const wrong of [
    null,
    1,
    "x",
    [],
    {},
    { challenge: null, solution: null },
    { challenge: { parameters: {} }, solution: {} },
    { ...solved, solution: { counter: "1", derivedKey: [] } },
    { ...solved, solution: { counter: 1.5, derivedKey: "zz" } },
    { ...solved, challenge: { ...solved.challenge, signature: "not hexadecimal" } },
  ])
    assert.equal(await tickets.ticketFor(wrong), null)
})

test("T38: a solution is of no use after its time, and then it was not spent", async () => {
  clock.now += 21 * MINUTE_MS
  assert.equal(await tickets.ticketFor(solved), null)
  clock.now -= 21 * MINUTE_MS
})

test("T38: a solution gives one ticket and the ticket one message, with its effort", async () => {
  const [first, second] = await Promise.all([tickets.ticketFor(solved), tickets.ticketFor(solved)])
  const ticket = first ?? second ?? ""
  assert.equal([first, second].filter((given) => given !== null).length, 1)
  assert.ok(tickets.isGood(ticket))
  const efforts = await Promise.all([tickets.spend(ticket), tickets.spend(ticket)])
  assert.deepEqual(new Set(efforts), new Set([1, null]))
})

test("a ticket is good for ten minutes, and nothing else is one", async () => {
  const ticket = signedTicket(secret, clock.now + MINUTE_MS, 2)
  clock.now += 2 * MINUTE_MS
  assert.equal(await tickets.spend(ticket), null)
  clock.now -= 2 * MINUTE_MS
  assert.equal(await tickets.spend(ticket), 2)
  for (const wrong of [
    "",
    "x",
    formToken(secret, clock.now),
    signedTicket(randomBytes(32), clock.now + 1e6, 0),
  ])
    assert.ok(!tickets.isGood(wrong) && (await tickets.spend(wrong)) === null)
})

test("T39: challenges keep nothing in memory or on the disk, however many are asked for", async () => {
  const spentBefore = await drops.unordered()
  const count = SOAK ? 10_000 : 100
  const challenges = await Promise.all(
    Array.from({ length: count }, () => tickets.challenge(EFFORT_MAX)),
  )
  assert.equal(new Set(challenges.map(({ signature }) => signature)).size, count)
  assert.equal(await drops.unordered(), spentBefore)
})
