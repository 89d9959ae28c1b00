import assert from "node:assert/strict"
import { test } from "node:test"
import { kindOfKey } from "./stealer-record.ts"

test("a key is known by its letters, whatever else is in it and however long it is", () => {
  assert.equal(kindOfKey("User password"), "password")
  assert.equal(kindOfKey("* U.s.e.r_P.a.s.s.w.o.r.d (1) "), "password")
  assert.equal(kindOfKey("E-MAIL [1234567890]"), "login")
  // The sign of degrees Kelvin is a K in lower case.
  assert.equal(kindOfKey("lin\u212a"), "site")
})

test("a text that has other letters too is no key", () => {
  assert.equal(kindOfKey("user passwords"), undefined)
  assert.equal(kindOfKey("user@mail.example"), undefined)
  assert.equal(kindOfKey(""), undefined)
  assert.equal(kindOfKey("1234567890"), undefined)
})
