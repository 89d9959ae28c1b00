import assert from "node:assert/strict"
import { test } from "node:test"
import { HOUR_MS } from "@assay/runtime/time"
import { openNetworkCounter } from "./network-counter.ts"

test("a network is a /24 or a /56, and has so many messages an hour", () => {
  const clock = { now: 5 * HOUR_MS }
  const networks = openNetworkCounter(2, () => clock.now)
  for (const pair of [
    ["192.0.2.1", "192.0.2.200"],
    ["::ffff:198.51.100.7", "198.51.100.8"],
    ["2001:db8:1:100::1", "2001:db8:1:1ff::2"],
  ]) {
    for (const address of pair) assert.ok(networks.admit(address), address)
    assert.ok(!networks.admit(pair[0]), "enough for this hour")
  }
  assert.ok(networks.admit("192.0.3.1"))
  assert.ok(networks.admit("2001:db8:1:200::1"))
  clock.now += HOUR_MS
  assert.ok(networks.admit("192.0.2.1"))
})

test("nobody is counted where everybody comes from this machine, from a socket, or where it is not asked for", () => {
  const networks = openNetworkCounter(1, () => 0)
  for (const address of ["127.0.0.1", "::1", undefined, "not an address"])
    for (let n = 0; n < 5; n++) assert.ok(networks.admit(address), String(address))
  const off = openNetworkCounter(0, () => 0)
  for (let n = 0; n < 5; n++) assert.ok(off.admit("192.0.2.1"))
})
