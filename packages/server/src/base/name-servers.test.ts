import assert from "node:assert/strict"
import { test } from "node:test"
import { readNameServers } from "./name-servers.ts"

test("name servers are addresses with or without a port, or the system's", () => {
  assert.equal(readNameServers("system"), "system")
  assert.deepEqual(readNameServers("192.0.2.1, 192.0.2.2:5353,2001:db8::1,[2001:db8::2]:53"), [
    "192.0.2.1",
    "192.0.2.2:5353",
    "2001:db8::1",
    "[2001:db8::2]:53",
  ])
})

test("what is no address, and a port that is none, is refused", () => {
  for (const wrong of [
    "on",
    "resolver.example",
    "192.0.2.1:0",
    "192.0.2.1:65536",
    "192.0.2.1:",
    "192.0.2",
    "[192.0.2.1]:53",
    "[::1",
    "192.0.2.1,",
    "192.0.2.1 192.0.2.2",
    "https://192.0.2.1",
  ])
    assert.equal(readNameServers(wrong), null, wrong)
})
