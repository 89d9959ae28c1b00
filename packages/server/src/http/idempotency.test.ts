import assert from "node:assert/strict"
import { test } from "node:test"
import { plans } from "../accounts/plans.ts"
import { DEFAULT_SCORING } from "../accounts/tenant-settings.ts"
import { claimRefusal, idempotencyClaim } from "./idempotency.ts"

const caller = {
  keyId: "key_1",
  tenantId: 1,
  plan: plans.enterprise,
  scopes: new Set<string>(),
  person: null,
  shadow: null,
  ...DEFAULT_SCORING,
}
const subkey = new Uint8Array(32).fill(1)
const body = { email: "ana.silva@mail.example", outcome: "clear" }

function claim(
  name: string | undefined = "a",
  of: unknown = body,
  key = subkey,
): ReturnType<typeof idempotencyClaim> {
  return idempotencyClaim(name, caller, "POST /x", of, key)
}

test("the same name and body make the same claim, another name or body another", () => {
  assert.deepEqual(claim(), claim("a", { ...body }))
  assert.notDeepEqual(claim("b")?.keyHash, claim()?.keyHash)
  assert.deepEqual(claim("b")?.fingerprint, claim()?.fingerprint)
  assert.notDeepEqual(claim("a", { ...body, loss: 1 })?.fingerprint, claim()?.fingerprint)
  assert.equal(idempotencyClaim(undefined, caller, "POST /x", body, subkey), null)
})

test("lines are claimed by their bytes, and never taken for JSON of the same text", () => {
  const lines = Buffer.from(JSON.stringify(body))
  assert.deepEqual(claim("a", lines), claim("a", Buffer.from(lines)))
  assert.notDeepEqual(claim("a", lines)?.fingerprint, claim()?.fingerprint)
  assert.notDeepEqual(
    claim("a", Buffer.concat([lines, Buffer.from("\n")]))?.fingerprint,
    claim("a", lines)?.fingerprint,
  )
})

test("a claim holds neither name nor body, and nobody without the subkey can test a guess", () => {
  const told = JSON.stringify(claim("ana.silva@mail.example"))
  assert.doesNotMatch(told, /ana|silva/)
  const other = claim("a", body, new Uint8Array(32).fill(2))
  assert.notDeepEqual(other?.keyHash, claim()?.keyHash)
  assert.notDeepEqual(other?.fingerprint, claim()?.fingerprint)
  // A body that repeats the name must not give an equal hash.
  assert.notDeepEqual(claim("1", 1)?.keyHash, claim("1", 1)?.fingerprint)
})

test("a request under way is to be sent again, one with another body is not", () => {
  assert.equal(claimRefusal("running").code, "idempotency-in-progress")
  assert.equal(claimRefusal("running").headers["retry-after"], "1")
  assert.equal(claimRefusal("mismatch").code, "idempotency-mismatch")
  assert.deepEqual(claimRefusal("mismatch").headers, {})
})
