import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { test } from "node:test"
import { HOUR_MS } from "@assay/runtime/time"
import { formToken, openFormTokens } from "./form-tokens.ts"
import { openSignatures } from "./signatures.ts"
import { openSpent } from "./spent.ts"

const secret = randomBytes(32)

const clock = { now: 1_800_000_000_000 }
const now = (): number => clock.now
const tokens = openFormTokens({ secret, spent: openSpent({ now }), now })

test("a form may be sent from 15 seconds to 24 hours after it was given out", () => {
  const token = tokens.make()
  const stateAfter = (ms: number): string => {
    clock.now += ms
    const state = tokens.state(token)
    clock.now -= ms
    return state
  }
  assert.equal(stateAfter(0), "early")
  assert.equal(stateAfter(14_999), "early")
  assert.equal(stateAfter(15_000), "ok")
  assert.equal(stateAfter(24 * HOUR_MS), "ok")
  assert.equal(stateAfter(24 * HOUR_MS + 1), "expired")
})

test("a token works once; looking at it does not spend it", async () => {
  const token = formToken(secret, clock.now - 60_000)
  assert.equal(tokens.state(token), "ok")
  const outcomes = [tokens.spend(token), tokens.spend(token)]
  assert.deepEqual(outcomes.toSorted(), ["ok", "spent"])
  assert.equal(tokens.spend(formToken(secret, clock.now)), "early")
})

test("what was not signed here for a form is wrong, however it is written", async () => {
  const token = formToken(secret, clock.now - 60_000)
  const body = randomBytes(22)
  for (const wrong of [
    "",
    "x",
    token.slice(0, -2),
    `${token}A`,
    token.replace(/^./, (first) => (first === "A" ? "B" : "A")),
    formToken(randomBytes(32), clock.now - 60_000),
    openSignatures(secret, "ticket").sign(body),
    "A".repeat(100_000),
    " " + token,
  ])
    assert.equal(tokens.spend(wrong), "wrong")
})
