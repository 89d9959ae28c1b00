import assert from "node:assert/strict"
import { test } from "node:test"
import { registrableDomain } from "./registrable-domain.ts"

test("the registered part of a name is found; a suffix under which others register has none", () => {
  for (const [name, registered] of [
    ["company.example", "company.example"],
    ["mail.company.example", "company.example"],
    ["mail.company.co.uk", "company.co.uk"],
    ["customer.github.io", "customer.github.io"],
    ["a.customer.github.io", "customer.github.io"],
    ["mail.xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["co.uk", null],
    ["github.io", null],
  ] as const)
    assert.equal(registrableDomain(name)?.domain ?? null, registered, name)
})
