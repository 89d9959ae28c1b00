// Sinks in the console, in a real browser and with receivers that speak as their vendors do.
import assert from "node:assert/strict"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, test } from "node:test"
import { startElastic, startSplunk } from "../../packages/server/testing/sinks/vendors.ts"
import { eventId } from "../../packages/stores/src/event-id.ts"
import { openRecordsOf } from "../http/records-of.ts"
import { temporaryDirectory } from "../http/temporary.ts"
import { ALL_RULES } from "./accessibility.ts"
import { isPresent } from "./chromium.ts"
import { looks, member, open, origin, service, useConsole } from "./console.ts"

const folder = join(temporaryDirectory(), "sinks")
mkdirSync(folder)
let splunk: Awaited<ReturnType<typeof startSplunk>>
let elastic: Awaited<ReturnType<typeof startElastic>>
const start = async () => {
  splunk = await startSplunk("a-token")
  elastic = await startElastic("a-token", "logs-assay.event-default")
  writeFileSync(join(folder, "token"), "a-token")
  const sinks = {
    splunk: [{ name: "soc", url: splunk.url, token_file: "token" }],
    elastic: [{ name: "search", url: elastic.url, api_key_file: "token" }],
    file: [{ name: "lake", path: "lake.ndjson", format: "ocsf" }],
  }
  writeFileSync(join(folder, "sinks.json"), JSON.stringify(sinks))
  return { ASSAY_SINKS: join(folder, "sinks.json") }
}
useConsole({ start })
after(async () => {
  await splunk.close()
  await elastic.close()
})

async function happens(count: number): Promise<void> {
  const records = await openRecordsOf(service.dataDirectory)
  await records.addEvents(
    Array.from({ length: count }, () => ({
      ...{ id: eventId(), tenantId: null, kind: "import.failed" as const, at: Date.now() },
      ...{ ref: null, identityKey: null, sealed: null },
      data: { import_id: "imp_1", source: "forum", code: "import-refused", detail: "No." },
    })),
  )
  await records.close()
}

test("an administrator sees what each sink has, tests it, and reads what is wrong with it", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open({}, await member("administrator"))
  await page.goto(`${origin}/console/sinks`)
  const table = page.getByRole("region", { name: "Sinks" })
  for (const name of [/^soc Splunk Sound/, /^search Elasticsearch Sound/, /^lake File Sound/])
    await table.getByRole("row", { name }).waitFor()
  await page.getByRole("button", { name: "Send a test to soc" }).click()
  const taken = page.getByRole("status").filter({ hasText: "soc took the test" })
  const id = await taken.locator("code").innerText()
  assert.deepEqual(
    splunk.taken
      .map(({ event }) => [event.id, event.type])
      .filter(([, type]) => type === "sink.test"),
    [[id, "sink.test"]],
  )
  await looks(page, "sinks-sound", { wholeTables: true, rules: ALL_RULES })

  // One is away; the others get what happens.
  elastic.trouble = () => ({ status: 503 })
  await happens(3)
  await page.reload()
  const failing = table.getByRole("row", { name: /^search Elasticsearch Fault It has too much/ })
  await failing.waitFor()
  await failing.getByRole("cell", { name: "3", exact: true }).waitFor()
  await table.getByRole("row", { name: /^soc Splunk Sound.* 0 None/ }).waitFor()
  await page.getByRole("button", { name: "Send a test to search" }).click()
  await page.getByRole("status").filter({ hasText: "search did not take the test" }).waitFor()
  await looks(page, "sinks-fault", { wholeTables: true, rules: ALL_RULES })
  await page.goto(`${origin}/console/overview`)
  await page.getByRole("link", { name: "The sink search does not take events" }).click()
  elastic.trouble = () => null
  await table.getByRole("row", { name: /^search Elasticsearch Sound.* 0 None/ }).waitFor()
  assert.ok(elastic.taken.length >= 3)
  assert.deepEqual(faults, [])
})
