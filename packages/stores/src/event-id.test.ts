import assert from "node:assert/strict"
import { test } from "node:test"
import { newDecisionId } from "./decision-id.ts"
import { decisionEventId, derivedEventId, eventId } from "./event-id.ts"

test("a derived id stays what it was: a journal that is read again makes the same event", () => {
  const decision = ["decision.critical", "dec_0123456789"]
  assert.equal(derivedEventId(decision), "evt_0vy7r7t6xp99tcwxyt9j2syx4t")
  const ofAllTypes = [7, null, Uint8Array.of(0, 255, 128), "ä€"]
  assert.equal(derivedEventId(ofAllTypes), "evt_70dxwjg0xayw9t069y0reh4c8b")
  assert.equal(derivedEventId([]), "evt_73p324567w3ga9nyzms2cpze94")
})

test("the events about decisions have ids that are theirs alone and stay what they are", () => {
  const id = "dec_01kacbgk5x9v8f2m4q6r7s3t0w"
  assert.equal(decisionEventId("decision.critical", id), "evt_41kacbgk5x9v8f2m4q6r7s3t0w")
  assert.equal(decisionEventId("decision.review", id), "evt_51kacbgk5x9v8f2m4q6r7s3t0w")
  const at = Date.UTC(2026, 2, 1)
  const decisions = Array.from({ length: 500 }, (_, n) => newDecisionId(at + (n >> 4)))
  const ids = decisions.flatMap((decision) => [
    decisionEventId("decision.critical", decision),
    decisionEventId("decision.review", decision),
  ])
  for (const each of ids) assert.match(each, /^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  assert.equal(new Set(ids).size, 1_000)
  // Also of the last moment that an id can name.
  const last = decisionEventId("decision.review", newDecisionId(2 ** 48 - 1))
  assert.match(last, /^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
})

test("a random id has 26 digits of base 32 and never comes twice", () => {
  const ids = Array.from({ length: 1000 }, eventId)
  for (const id of ids) assert.match(id, /^evt_[0-9a-hjkmnp-tv-z]{26}$/)
  assert.equal(new Set(ids).size, ids.length)
})
