import assert from "node:assert/strict"
import { test } from "node:test"
import { requestId } from "./request-id.ts"

test("a harmless id is kept, any other is replaced by a random one", () => {
  assert.equal(requestId("trace-1.a:b_C"), "trace-1.a:b_C")
  for (const given of [
    undefined,
    "",
    "a b",
    "a@b.example",
    "x".repeat(129),
    "\u0000",
    ["a", "b"],
  ]) {
    assert.match(requestId(given), /^[0-9a-f]{24}$/)
  }
})

test("ids do not repeat, also past the pool they are taken from", () => {
  assert.equal(new Set(Array.from({ length: 5000 }, () => requestId(undefined))).size, 5000)
})
