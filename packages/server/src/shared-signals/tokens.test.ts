import assert from "node:assert/strict"
import { test } from "node:test"
import { grantable, openTokens, TOKEN_SECONDS } from "./tokens.ts"

const subkey = new Uint8Array(32).fill(3)
const keyHash = Buffer.alloc(32, 9)

test("a token holds its key's hash and scopes, unreadable, until it is over", () => {
  let now = Date.UTC(2026, 10, 18)
  const tokens = openTokens(subkey, () => now)
  const token = tokens.issue({ keyHash, scopes: ["ssf.read"] })
  assert.ok(!token.includes(keyHash.toString("base64url")))
  assert.deepEqual(tokens.read(token), { keyHash, scopes: ["ssf.read"] })
  now += TOKEN_SECONDS * 1000 - 1
  assert.notEqual(tokens.read(token), null)
  now += 1
  assert.equal(tokens.read(token), null)
})

test("nothing else is a token", () => {
  const tokens = openTokens(subkey, Date.now)
  const token = tokens.issue({ keyHash, scopes: ["ssf.manage"] })
  assert.equal(openTokens(new Uint8Array(32), Date.now).read(token), null)
  const changed = token.slice(0, -6) + (token.endsWith("AAAAAA") ? "BBBBBB" : "AAAAAA")
  for (const text of ["", "ssf_", changed, `${token}A`, `${token}=`, ` ${token}`, token.slice(4)])
    assert.equal(tokens.read(text), null, text)
})

test("who sees to webhooks sees to streams, and who reads events reads them here", () => {
  assert.deepEqual(grantable(new Set(["webhooks:manage"])), ["ssf.read", "ssf.manage"])
  assert.deepEqual(grantable(new Set(["events:read", "score"])), ["ssf.read"])
  assert.deepEqual(grantable(new Set(["score", "events:admin"])), [])
})
