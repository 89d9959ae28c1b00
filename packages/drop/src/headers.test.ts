import assert from "node:assert/strict"
import { test } from "node:test"
import { cameByOnion, dropHeaders, fromElsewhere } from "./headers.ts"

const ONION = `http://${"a".repeat(56)}.onion`

test("T27: only visitors by https are told to stay with it, and of the onion address", () => {
  const place = { origin: "https://drop.example", onion: ONION }
  const sent = dropHeaders(place, { byOnion: false })
  assert.equal(sent["Strict-Transport-Security"], "max-age=63072000")
  assert.equal(sent["Onion-Location"], `${ONION}/drop`)
  for (const headers of [
    dropHeaders(place, { byOnion: true }),
    dropHeaders({ origin: null, onion: ONION }, { byOnion: false }),
    dropHeaders({ origin: "http://localhost:9000", onion: ONION }, { byOnion: false }),
  ]) {
    assert.ok(!("Strict-Transport-Security" in headers))
    assert.ok(!("Onion-Location" in headers))
  }
  assert.ok(!("Onion-Location" in dropHeaders({ ...place, onion: null }, { byOnion: false })))
})

test("T28: no header sets a cookie, reports, times or names a version of what is sent", () => {
  const names = Object.keys(
    dropHeaders({ origin: "https://a.example", onion: ONION }, { byOnion: false }),
  )
  for (const name of [
    "set-cookie",
    "etag",
    "last-modified",
    "date",
    "server",
    "server-timing",
    "nel",
    "report-to",
  ])
    assert.ok(!names.some((given) => given.toLowerCase() === name), name)
})

test("of the host only its ending is read", () => {
  assert.ok(cameByOnion(`${"a".repeat(56)}.onion`))
  assert.ok(cameByOnion(`${"a".repeat(56)}.ONION:8080`))
  for (const host of [undefined, "", "drop.example", "onion", "x.onion.example"])
    assert.ok(!cameByOnion(host), String(host))
})

test("T25: requests that browsers say come from another site are known, and no others", () => {
  for (const site of ["cross-site", "same-site", "none"])
    assert.ok(fromElsewhere({ "sec-fetch-site": site }))
  assert.ok(!fromElsewhere({ "sec-fetch-site": "same-origin", origin: "null" }))
  assert.ok(!fromElsewhere({ origin: "null" }))
})
