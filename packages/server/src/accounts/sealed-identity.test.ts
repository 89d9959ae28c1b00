import assert from "node:assert/strict"
import { test } from "node:test"
import { openSealedIdentities } from "./sealed-identity.ts"

const EMAIL = "ana.silva@mail.example"

test("a sealed identity is opened for its tenant, and for nobody else", () => {
  const identities = openSealedIdentities(new Uint8Array(32).fill(1))
  const sealed = identities.seal(EMAIL, 7)
  assert.equal(identities.open(sealed, 7), EMAIL)
  assert.equal(identities.open(sealed, 8), null)
  assert.equal(openSealedIdentities(new Uint8Array(32).fill(2)).open(sealed, 7), null)
  assert.equal(identities.open(sealed.subarray(1), 7), null)
  assert.ok(!Buffer.from(sealed).includes("silva"))
  assert.notDeepEqual(identities.seal(EMAIL, 7), sealed)
})
