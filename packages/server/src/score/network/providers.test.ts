import assert from "node:assert/strict"
import { test } from "node:test"
import { readNameServers, readRegistryUrl } from "./providers.ts"

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

test("a registry is an https URL, or a plain one on this machine", () => {
  assert.equal(readRegistryUrl("https://rdap.example"), "https://rdap.example/")
  assert.equal(readRegistryUrl("https://rdap.example/com/v1"), "https://rdap.example/com/v1/")
  for (const host of ["127.0.0.1:8080", "localhost", "[::1]:8080"])
    assert.equal(readRegistryUrl(`http://${host}/`), `http://${host}/`)
  for (const wrong of [
    "rdap.example",
    "http://rdap.example/",
    "http://127.0.0.1.example/",
    "http://10.0.0.1/",
    "ftp://rdap.example/",
    "https://user@rdap.example/",
    "https://:word@rdap.example/",
    "https://rdap.example/?key=1",
    "https://rdap.example/#top",
  ])
    assert.equal(readRegistryUrl(wrong), null, wrong)
})
