import assert from "node:assert/strict"
import { test } from "node:test"
import { derivedEventId, eventId } from "./event-id.ts"

test("a derived id stays what it was: a journal that is read again makes the same event", () => {
  const decision = ["decision.critical", "dec_0123456789"]
  assert.equal(derivedEventId(decision), "evt_0vy7r7t6xp99tcwxyt9j2syx4t")
  const ofAllTypes = [7, null, Uint8Array.of(0, 255, 128), "ä€"]
  assert.equal(derivedEventId(ofAllTypes), "evt_70dxwjg0xayw9t069y0reh4c8b")
  assert.equal(derivedEventId([]), "evt_73p324567w3ga9nyzms2cpze94")
})

test("a random id has 26 digits of base 32 and never comes twice", () => {
  const ids = Array.from({ length: 1000 }, eventId)
  for (const id of ids) assert.match(id, /^evt_[0-9a-hjkmnp-tv-z]{26}$/)
  assert.equal(new Set(ids).size, ids.length)
})
