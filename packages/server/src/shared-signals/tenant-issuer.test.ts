import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { test } from "node:test"
import { openTenantIssuers } from "./tenant-issuer.ts"

const ORIGIN = "https://risk.example"

test("the name of an issuer means its tenant, and shows no number", () => {
  const { issuerOf, tenantOf } = openTenantIssuers(new Uint8Array(32).fill(1), ORIGIN)
  const names = new Set<string>()
  for (const tenantId of [1, 2, 3, 4_000_000_000]) {
    const issuer = issuerOf(tenantId)
    const name = issuer.slice(`${ORIGIN}/ssf/`.length)
    assert.match(name, /^[\w-]{22}$/)
    assert.equal(tenantOf(name), tenantId)
    names.add(name)
  }
  assert.equal(names.size, 4)
})

test("a name that was made up means nobody", () => {
  const { issuerOf, tenantOf } = openTenantIssuers(new Uint8Array(32).fill(1), ORIGIN)
  const elsewhere = openTenantIssuers(new Uint8Array(32).fill(2), ORIGIN)
  assert.equal(tenantOf(elsewhere.issuerOf(1).slice(`${ORIGIN}/ssf/`.length)), null)
  const name = issuerOf(1).slice(`${ORIGIN}/ssf/`.length)
  for (const text of ["", "1", `${name}A`, name.slice(1), `${name}=`])
    assert.equal(tenantOf(text), null)
  for (let n = 0; n < 1_000; n++)
    assert.equal(tenantOf(randomBytes(16).toString("base64url")), null)
})
