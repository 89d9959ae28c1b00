import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { sampleEvents } from "../../../testing/sinks/sample-events.ts"
import {
  type SentinelColumn,
  startArrays,
  startElastic,
  startSentinel,
  startSplunk,
} from "../../../testing/sinks/vendors.ts"
import { SUNK_KINDS } from "../formats/finding.ts"
import { ocsfOf } from "../formats/ocsf.ts"
import type { Destination } from "./destination.ts"
import { elastic } from "./elastic.ts"
import { http } from "./http.ts"
import { sentinel } from "./sentinel.ts"
import { splunk } from "./splunk.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-destinations-"))
after(() => rmSync(folder, { recursive: true }))
const from = { host: "assay-1", pid: 7, print: () => assert.fail("nothing is printed") }
const events = sampleEvents()
const ids = events.map(({ id }) => id)

let files = 0
function secretFile(text: string): string {
  const file = join(folder, `secret-${++files}`)
  writeFileSync(file, `${text}\n`)
  return file
}

const rejects = (destination: Destination, code: string): Promise<void> =>
  assert.rejects(destination.send(events), { name: "SinkError", code })

test("Splunk's collector gets every kind of event, in the index that the settings name", async () => {
  const vendor = await startSplunk("a-token")
  const destination = splunk.open(
    { url: vendor.url, token_file: secretFile("a-token"), index: "risk" },
    from,
  )
  await destination.send(events)
  assert.deepEqual(vendor.faults, [])
  assert.deepEqual(
    vendor.taken.map(({ event }) => [event.id, event.type]),
    SUNK_KINDS.map((kind, n) => [ids[n], kind]),
  )
  assert.ok(vendor.taken.every((each) => "index" in each && each.index === "risk"))
  const wrong = splunk.open({ url: vendor.url, token_file: secretFile("another") }, from)
  await rejects(wrong, "answered-403")
  await Promise.all([destination.close(), wrong.close(), vendor.close()])
})

test("with acknowledgement a batch counts once the indexers have it, and not before", async () => {
  const vendor = await startSplunk("a-token", true)
  const settings = { url: vendor.url, token_file: secretFile("a-token") }
  const destination = splunk.open({ ...settings, acknowledged: true }, from)
  let calls = 0
  vendor.trouble = () => {
    calls++
    return null
  }
  await destination.send(events)
  assert.deepEqual([vendor.faults, vendor.taken.length, calls], [[], events.length, 3])
  const without = await startSplunk("a-token")
  const misled = splunk.open({ ...settings, url: without.url, acknowledged: true }, from)
  await rejects(misled, "no-acknowledgement")
  for (const each of [destination, misled, vendor, without]) await each.close()
})

test("Elasticsearch has each event once, however often its answer is lost", async () => {
  const vendor = await startElastic("a2V5", "logs-assay.event-default")
  const destination = elastic.open({ url: vendor.url, api_key_file: secretFile("a2V5") }, from)
  vendor.trouble = (n) => (n === 0 ? "lost" : null)
  await rejects(destination, "cut-off")
  assert.equal(vendor.taken.length, events.length)
  await destination.send(events)
  assert.deepEqual([vendor.faults, vendor.taken.map(({ _id }) => _id)], [[], ids])
  await Promise.all([destination.close(), vendor.close()])
})

test("a document that Elasticsearch refuses is a fault of the batch, with its status", async () => {
  for (const status of [400, 429]) {
    const vendor = await startElastic("a2V5", "risk", (id) => (id === ids[3] ? status : 201))
    const settings = { url: vendor.url, api_key_file: secretFile("a2V5"), data_stream: "risk" }
    const destination = elastic.open(settings, from)
    await rejects(destination, `document-answered-${status}`)
    assert.equal(vendor.taken.length, events.length - 1)
    await Promise.all([destination.close(), vendor.close()])
  }
})

const app = {
  directory: "11111111-2222-3333-4444-555555555555",
  client: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
  secret: "a client's secret",
  rule: "dcr-0123456789abcdef0123456789abcdef",
  stream: "Custom-IdentityRisk_CL",
}
const template = JSON.parse(
  readFileSync(
    new URL("../../../../../deploy/sentinel/table-and-rule.json", import.meta.url),
    "utf8",
  ),
) as { variables: { columns: SentinelColumn[] } }
const sentinelAt = (url: string): Destination =>
  sentinel.open(
    {
      endpoint: url,
      authority: url,
      rule_id: app.rule,
      directory_id: app.directory,
      client_id: app.client,
      client_secret_file: secretFile(app.secret),
    },
    from,
  )

test("Sentinel gets rows that fit the table of the template, with a token that is used again", async () => {
  const vendor = await startSentinel(app, template.variables.columns)
  const destination = sentinelAt(vendor.url)
  await destination.send(events)
  await destination.send(events)
  assert.deepEqual(vendor.faults, [])
  assert.deepEqual(
    vendor.taken.map((row) => row.EventId),
    [...ids, ...ids],
  )
  const columns = template.variables.columns.map(({ name }) => name)
  for (const row of vendor.taken) assert.deepEqual(Object.keys(row), columns)
  assert.equal(vendor.tokens.length, 1)
  // One that is no longer good is replaced by the next attempt.
  vendor.tokens.push("another")
  await rejects(destination, "answered-401")
  await destination.send(events)
  assert.equal(vendor.tokens.length, 3)
  await Promise.all([destination.close(), vendor.close()])
})

test("what is more than a megabyte goes to Sentinel in several calls, in order", async () => {
  const vendor = await startSentinel(app, template.variables.columns)
  const destination = sentinelAt(vendor.url)
  const [first = assert.fail()] = events
  const data = { ...first.data, note: "ü".repeat(8_000) }
  const many = Array.from({ length: 150 }, (_, n) => ({ ...first, id: `evt_${n}`, data }))
  await destination.send(many)
  assert.deepEqual(
    vendor.taken.map((row) => row.EventId),
    many.map(({ id }) => id),
  )
  assert.deepEqual(vendor.faults, [])
  await Promise.all([destination.close(), vendor.close()])
})

test("a receiver of JSON arrays gets Detection Findings, with the header that the settings name", async () => {
  const vendor = await startArrays("Bearer abc")
  const settings = { url: vendor.url, authorization_file: secretFile("Bearer abc") }
  const destination = http.open(settings, from)
  await destination.send(events)
  assert.deepEqual(vendor.taken, JSON.parse(JSON.stringify(events.map(ocsfOf))))
  vendor.trouble = () => ({ status: 503, retryAfter: "120" })
  await assert.rejects(destination.send(events), { code: "answered-503", waitMs: 120_000 })
  vendor.trouble = () => ({ status: 307 })
  await rejects(destination, "answered-307")
  await Promise.all([vendor.close(), destination.close()])
  const late = http.open(settings, from)
  await rejects(late, "not-reached")
  await late.close()
})

test("a secret of several lines or none is refused when a sink is opened", () => {
  for (const text of ["", "two\nlines", "ümlaut"])
    assert.throws(
      () => http.open({ url: "https://siem.example/", authorization_file: secretFile(text) }, from),
      { code: "settings-file" },
    )
})
