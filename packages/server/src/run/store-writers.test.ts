import assert from "node:assert/strict"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { holdMigrations, startTestServer } from "@assay/stores/testing/postgres/test-server"
import { RecordsError } from "@assay/stores/records-error"
import { openRecordsWriter } from "./store-writers.ts"

const server = await startTestServer().catch((error: unknown) => {
  if (process.env["CI"] === "true") throw error
  return String(error)
})

const options = typeof server === "string" ? { skip: server } : {}
test("a migration may take longer than any other call on the records", options, async (t) => {
  if (typeof server === "string") return
  t.after(() => server.stop())
  const url = await server.createDatabase()
  const letGo = await holdMigrations(url)
  const opening = openRecordsWriter(
    { dataDirectory: "", databaseUrl: url, auditKey: new Uint8Array(32) },
    { onEvents: () => undefined, answerMs: 3_000 },
  )
  await Promise.race([opening, delay(5_000)])
  await letGo()
  const records = await opening
  assert.deepEqual(await records.tenants(), [])
  await records.close()
})

test("records that cannot be reached are an error, and leave no thread behind", async () => {
  const url = "postgresql://postgres:password@127.0.0.1:1/none"
  await assert.rejects(
    openRecordsWriter(
      { dataDirectory: "", databaseUrl: url, auditKey: new Uint8Array(32) },
      { onEvents: () => undefined },
    ),
    RecordsError,
  )
})
