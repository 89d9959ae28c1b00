import assert from "node:assert/strict"
import type { IncomingMessage } from "node:http"
import { test } from "node:test"
import { openVisitorNetwork } from "./visitor-network.ts"

function from(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage
}

test("addresses of one network have one name, however they are written", () => {
  const network = openVisitorNetwork([])
  assert.equal(network(from("192.0.2.1")), network(from("::ffff:192.0.2.200")))
  assert.notEqual(network(from("192.0.2.1")), network(from("192.0.3.1")))
  assert.equal(network(from("2001:db8::1")), network(from("2001:db8:0:ff:1::")))
  assert.notEqual(network(from("2001:db8::1")), network(from("2001:db8:0:100::1")))
})

test("visitors of this machine, who may come by a proxy on it, are not counted together", () => {
  const network = openVisitorNetwork([])
  assert.equal(network(from("127.0.0.1")), null)
  assert.equal(network(from("::1")), null)
  assert.equal(network(from("::ffff:127.0.0.1")), null)
})

test("what a proxy says is believed of trusted ones alone, from the right", () => {
  const network = openVisitorNetwork(["192.0.2.1", "127.0.0.1"])
  const direct = network(from("198.51.100.7"))
  assert.equal(network(from("192.0.2.1", "203.0.113.9, 198.51.100.1")), direct)
  assert.equal(network(from("127.0.0.1", "203.0.113.9, 198.51.100.1, 192.0.2.1")), direct)
  assert.equal(network(from("198.51.100.7", "203.0.113.9")), direct)
  assert.equal(network(from("192.0.2.1", "not an address")), null)
  assert.equal(network(from("192.0.2.1")), null)
  assert.equal(openVisitorNetwork([])(from("198.51.100.7", "203.0.113.9")), direct)
})
