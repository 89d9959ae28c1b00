import assert from "node:assert/strict"
import { after, test } from "node:test"

import { decisionsSuite, newDecision } from "../../testing/decisions-suite.ts"
import { refusedAs } from "../../testing/records-suite.ts"
import { openPostgresDecisions } from "./decisions.ts"
import { openPostgresRecords } from "./records.ts"
import { execute, startTestServer, type TestServer } from "../../testing/postgres/test-server.ts"

const server = await startTestServer().catch((error: unknown) => {
  if (process.env["CI"] === "true") throw error
  return String(error)
})
if (typeof server === "string") test("postgres decisions", { skip: server }, () => {})
else testOn(server)

function testOn(server: TestServer): void {
  after(() => server.stop())

  decisionsSuite("postgres", async () => {
    const url = await server.createDatabase()
    return () => openPostgresDecisions({ url, poolMax: 2 })
  })

  test("postgres: decisions live beside the records, and many may open them at once", async () => {
    const url = await server.createDatabase()
    const records = await openPostgresRecords({ url, poolMax: 1 })
    await records.migrate()
    const opened = await Promise.all(
      Array.from({ length: 4 }, () => openPostgresDecisions({ url, poolMax: 1 })),
    )
    const added = opened.map(() => newDecision())
    await Promise.all(opened.map((decisions, n) => decisions.add(added.slice(n, n + 1))))
    for (const decisions of opened)
      assert.equal((await decisions.list({ tenantId: 1, limit: 9 })).length, added.length)
    await Promise.all([...opened, records].map((store) => store.close()))
  })

  test("postgres: tables of a newer program are refused", async () => {
    const url = await server.createDatabase()
    await (await openPostgresDecisions({ url, poolMax: 1 })).close()
    await execute(url, "update decisions_format set format = 2")
    await assert.rejects(openPostgresDecisions({ url, poolMax: 1 }), refusedAs("newer-format"))
  })
}
