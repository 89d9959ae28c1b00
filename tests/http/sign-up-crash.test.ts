// Kills the service with SIGKILL while strangers sign up: each sign-up is there whole, or not at
// all.
import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type { SignUpResult } from "@assay/core/contract"
import type { Records } from "../../packages/stores/src/records.ts"
import { openPostgresRecords } from "../../packages/stores/src/postgres/records.ts"
import { openSqliteRecords } from "../../packages/stores/src/sqlite/records.ts"
import { testServerOrSkip } from "../../packages/stores/testing/postgres/test-server.ts"
import { startService } from "./service.ts"
import { sendForm, signUpForm } from "./sign-up-visitor.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const ROUNDS = process.env["ASSAY_SOAK"] === "1" ? 20 : 2
const AT_ONCE = 4

test("SQLite: a service killed in mid sign-up leaves whole sign-ups only", async () => {
  const dataDirectory = join(temporary, "sqlite")
  await killAndCheck(dataDirectory, {}, () =>
    openSqliteRecords({ file: join(dataDirectory, "records.sqlite") }),
  )
})

test("PostgreSQL: a service killed in mid sign-up leaves whole sign-ups only", async (context) => {
  const postgres = await testServerOrSkip(context)
  if (postgres === null) return
  const url = await postgres.createDatabase()
  await killAndCheck(join(temporary, "postgres"), { DATABASE_URL: url }, () =>
    openPostgresRecords({ url, poolMax: 1 }),
  )
  await postgres.stop()
})

async function killAndCheck(
  dataDirectory: string,
  env: Record<string, string>,
  open: () => Promise<Records>,
): Promise<void> {
  const acknowledged: SignUpResult[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const service = await startService({ dataDirectory, env })
    const forms = await Promise.all(Array.from({ length: AT_ONCE }, () => signUpForm(service)))
    // Those that are cut off by the kill count for nothing.
    const sent = Promise.allSettled(
      forms.map(async (form) => {
        const answer = await sendForm(service, form)
        if (answer.status === 201) acknowledged.push((await answer.json()) as SignUpResult)
      }),
    )
    await delay(round * 7)
    await service.kill()
    await sent
  }
  const records = await open()
  const signedUp = (await records.tenants()).filter(({ name }) => name.startsWith("corner-shop"))
  for (const { id, name } of signedUp) {
    assert.equal((await records.keys({ tenantId: id })).length, 1, name)
    assert.equal((await records.invitations({ tenantId: id, at: Date.now() })).length, 1, name)
  }
  await records.close()
  const names = new Set(signedUp.map(({ name }) => name))
  for (const { tenant } of acknowledged) assert.ok(names.has(tenant), `${tenant} was lost`)

  await using service = await startService({ dataDirectory, env })
  for (const { key } of acknowledged) {
    const json = { email: "a@b.example" }
    assert.equal((await service.request("/api/v1/risk/score", { key, json })).status, 200)
  }
  assert.equal((await sendForm(service, await signUpForm(service))).status, 201)
}
