import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { demoApiKey, hashApiKey, hintOf, mintApiKey, readApiKey } from "./api-key.ts"

test("a minted key has the published shape and is never the same twice", () => {
  const keys = Array.from({ length: 200 }, mintApiKey)
  for (const key of keys) assert.match(key, /^ask_live_[0-9A-Za-z]{36}$/)
  assert.equal(new Set(keys).size, 200)
  assert.ok(keys.every((key) => readApiKey(key) === "live"))
})

test("the demo key follows from the secret alone", () => {
  const key = demoApiKey(new Uint8Array(32).fill(7))
  assert.equal(key, demoApiKey(new Uint8Array(32).fill(7)))
  assert.notEqual(key, demoApiKey(new Uint8Array(32).fill(8)))
  assert.equal(readApiKey(key), "demo")
})

test("one wrong character is caught without a lookup", () => {
  const key = mintApiKey()
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
  for (let at = 9; at < key.length; at++) {
    const other = key[at] === "x" ? "y" : "x"
    assert.equal(readApiKey(key.slice(0, at) + other + key.slice(at + 1)), null)
  }
  assert.ok(alphabet.includes(key.at(-1) ?? ""))
})

test("text that is no key is refused, whatever it is", () => {
  fc.assert(
    fc.property(
      fc.string(),
      (text) => readApiKey(text) === null && readApiKey(`ask_live_${text}`) === null,
    ),
    { seed: 7, numRuns: 2000 },
  )
  assert.equal(readApiKey(mintApiKey().replace("live", "demo")), null)
  assert.equal(readApiKey(`${mintApiKey()} `), null)
})

test("the hint shows too little to use", () => {
  const key = mintApiKey()
  assert.equal(hintOf(key).length, 14)
  assert.equal(hashApiKey(key).length, 32)
})
