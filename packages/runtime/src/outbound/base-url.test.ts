import assert from "node:assert/strict"
import { test } from "node:test"
import { readBaseUrl } from "./base-url.ts"

test("a base is an https URL, or a plain one on this machine", () => {
  assert.equal(readBaseUrl("https://rdap.example"), "https://rdap.example/")
  assert.equal(readBaseUrl("https://rdap.example/com/v1"), "https://rdap.example/com/v1/")
  for (const host of ["127.0.0.1:8080", "localhost", "[::1]:8080"])
    assert.equal(readBaseUrl(`http://${host}/`), `http://${host}/`)
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
    assert.equal(readBaseUrl(wrong), null, wrong)
})
