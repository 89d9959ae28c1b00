import assert from "node:assert/strict"
import { test } from "node:test"
import { hostOf, isOwnDomain } from "./own-domain.ts"

test("a site under the registrable domain of the mailbox is its own", () => {
  for (const [site, address] of [
    ["https://mail.example/", "a@mail.example"],
    ["https://login.mail.example:8443/x?y#z", "a@mail.example"],
    ["HTTPS://MAIL.Example", "a@Mail.EXAMPLE "],
    ["webmail.mail.example/inbox", "a@eu.mail.example"],
    ["https://user@mail.example/", "a@mail.example"],
    ["https://shop.co.uk/", "a@mail.shop.co.uk"],
  ] as const) {
    assert.ok(isOwnDomain(site, address), `${site} ${address}`)
  }
})

test("any other site is not", () => {
  for (const [site, address] of [
    ["https://shop.example/", "a@mail.example"],
    ["https://mail.example.shop.example/", "a@mail.example"],
    ["https://shop.example/mail.example", "a@mail.example"],
    ["https://one.co.uk/", "a@two.co.uk"],
    ["https://co.uk/", "a@co.uk"],
    ["https://one.github.io/", "a@two.github.io"],
    ["android://aGFzaA==@example.mail/", "a@example.mail"],
    ["http://192.0.2.1/", "a@mail.example"],
    ["", "a@mail.example"],
    ["localhost", "a@localhost"],
  ] as const) {
    assert.ok(!isOwnDomain(site, address), `${site} ${address}`)
  }
})

test("a host is read with and without scheme, port, path and user", () => {
  assert.equal(hostOf("https://u:p@Shop.example:1/x"), "shop.example")
  assert.equal(hostOf("shop.example?x=https://other.example"), "shop.example")
  assert.equal(hostOf("https:///path"), null)
})
