import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { before, test } from "node:test"
import { type Challenge, type Payload, solveChallenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/pbkdf2"
import { formToken } from "./form-tokens.ts"
import { EFFORT_MAX, SIZE_CLASSES } from "@assay/core/drop"
import { openSpent } from "./spent.ts"
import { keysToTry, openTickets, signedChallenge, signedTicket } from "./tickets.ts"

const SOAK = process.env["ASSAY_SOAK"] !== undefined
const MINUTE_MS = 60_000

const secret = randomBytes(32)
const clock = { now: Date.now(), doublings: 0 }
const now = (): number => clock.now
const open = () =>
  openTickets({ secret, spent: openSpent({ now }), doublings: () => clock.doublings, now })
const tickets = open()
const TOP = SIZE_CLASSES.length - 1
let solved: Payload

// Signed as a challenge is, and solved at the third key: the last test solves a real one.
before(async () => {
  const work = { effort: 1, sizeClass: 2 }
  const easy = { ...work, counter: 3, most: 2 * keysToTry(work), madeAtMs: clock.now }
  const challenge = await signedChallenge(secret, easy)
  const solution = await solveChallenge({ challenge, deriveKey, timeout: 600_000 })
  assert.ok(solution !== null)
  solved = { challenge, solution }
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
    changed({ data: { ...parameters.data, effort: 3 } }),
    changed({ data: { ...parameters.data, class: 9 } }),
    changed({ data: { ...parameters.data, made: clock.now + 1 } }),
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
  assert.ok(tickets.isGood(ticket, 0) && tickets.isGood(ticket, 2))
  assert.ok(!tickets.isGood(ticket, 3), "a larger message than was worked for")
  assert.equal(tickets.spend(ticket, 3), null)
  assert.deepEqual([tickets.spend(ticket, 2), tickets.spend(ticket, 2)], [1, null])
})

test("a ticket is good for ten minutes, and nothing else is one", async () => {
  const ticket = signedTicket(secret, clock.now, { effort: 2, sizeClass: TOP })
  clock.now += 11 * MINUTE_MS
  assert.equal(tickets.spend(ticket, 0), null)
  clock.now -= 11 * MINUTE_MS
  assert.equal(tickets.spend(ticket, TOP), 2)
  for (const wrong of [
    "",
    "x",
    formToken(secret, clock.now),
    signedTicket(randomBytes(32), clock.now, { effort: 0, sizeClass: TOP }),
  ])
    assert.ok(!tickets.isGood(wrong, 0) && tickets.spend(wrong, 0) === null)
})

test("T39: challenges keep nothing, however many are asked for", async () => {
  const count = SOAK ? 10_000 : 100
  const challenges = await Promise.all(
    Array.from({ length: count }, () => tickets.challenge({ effort: EFFORT_MAX, sizeClass: TOP })),
  )
  assert.equal(new Set(challenges.map(({ signature }) => signature)).size, count)
})

test("the work grows with the class it pays for: a second for text, half a minute for the largest", async () => {
  const works = SIZE_CLASSES.map((_, sizeClass) => keysToTry({ effort: 0, sizeClass }))
  assert.deepEqual(
    works,
    [...new Set(works)].toSorted((a, b) => a - b),
  )
  const [least = 0, most = 0] = [works[0], works.at(-1)]
  // At 1.7 ms a key.
  assert.ok(least * 1.7 > 900 && least * 1.7 < 1200, String(least))
  assert.ok(most / least > 30, String(most))
  assert.equal(keysToTry({ effort: 1, sizeClass: TOP }, 2), 8 * most)
  const mostTried = async (sizeClass: number): Promise<number> => {
    const { data, expiresAt = 0 } = (await tickets.challenge({ effort: 0, sizeClass })).parameters
    assert.ok(Math.abs(expiresAt * 1000 - clock.now - Number(data?.["solve"])) <= 1000)
    return Number(data?.["most"])
  }
  assert.equal(await mostTried(0), 2 * least)
  assert.equal(await mostTried(TOP), 2 * most)
  clock.doublings = 5
  const { data } = (await tickets.challenge({ effort: 0, sizeClass: TOP })).parameters
  clock.doublings = 0
  assert.ok(Number(data?.["solve"]) >= 7 * Number(data?.["most"]), "time enough on a slow phone")
})

test("T38: after a restart, which forgets what was spent, no earlier solution or ticket is taken", async () => {
  const challenge = await tickets.challenge({ effort: 0, sizeClass: 0 })
  const solution = await solveChallenge({ challenge, deriveKey, timeout: 600_000 })
  assert.ok(solution !== null)
  const ticket = signedTicket(secret, clock.now, { effort: 0, sizeClass: 0 })
  clock.now += 1
  const restarted = open()
  assert.equal(await restarted.ticketFor({ challenge, solution }), null)
  assert.equal(restarted.spend(ticket, 0), null)
  assert.notEqual(await tickets.ticketFor({ challenge, solution }), null)
})
