import assert from "node:assert/strict"
import { test } from "node:test"
import { readConfig } from "../base/config.ts"
import { dropPageOf } from "@assay/drop/drop-config"
import { addressOf, hostnameOf, plainHome } from "./home-page.ts"

const request = (headers: Record<string, string>): Parameters<typeof addressOf>[0] =>
  ({ headers, socket: { localPort: 8123 } }) as unknown as Parameters<typeof addressOf>[0]

test("the address is the one a visitor came by, with its port, and by https where a proxy says so", () => {
  assert.equal(addressOf(request({ host: "localhost:9000" })), "http://localhost:9000")
  assert.equal(addressOf(request({ host: "[::1]:9000" })), "http://[::1]:9000")
  const proxied = { host: "risk.acme.example", "x-forwarded-proto": "https" }
  assert.equal(addressOf(request(proxied)), "https://risk.acme.example")
  for (const host of ["", "a b", "x<script>", "a@b", "a/b", '"', "a:123456"])
    assert.equal(addressOf(request({ host })), "http://localhost:8123", host)
})

test("a name is an address without scheme and port", () => {
  assert.equal(hostnameOf("https://risk.acme.example"), "risk.acme.example")
  assert.equal(hostnameOf("http://[::1]:9000"), "[::1]")
})

test("the drop is linked to where it is: on the same port, its own port, its own origin, or nowhere", () => {
  const of = (env: Record<string, string>): string | null =>
    dropPageOf(readConfig(env).drop)("localhost")
  assert.equal(of({}), "/drop")
  assert.equal(of({ DROP_PORT: "8090" }), "http://localhost:8090/drop")
  assert.equal(of({ DROP_ORIGIN: "https://drop.example" }), "https://drop.example/drop")
  assert.equal(of({ DROP: "off" }), null)
  // Any free port, which the page does not know.
  assert.equal(of({ DROP_PORT: "0" }), null)
})

test("the page of visitors without scripts has its links and calls that name its own address", () => {
  const page = plainHome("http://localhost:9000", { drop: "/drop", inbox: "/console/drop" }).text
  for (const href of ["/docs", "/openapi.json", "/problems", "/drop", "/console/drop"])
    assert.ok(page.includes(`<a href="${href}">`), href)
  assert.equal(page.match(/curl -s http:\/\/localhost:9000\/api\/v1\//g)?.length, 2)
  const without = plainHome("http://localhost:9000", { drop: null, inbox: null }).text
  assert.doesNotMatch(without, /drop/i)
})
