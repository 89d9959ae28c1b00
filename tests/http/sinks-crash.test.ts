// Every event goes to three sinks whose receivers are away, slow, full and lose their answers,
// while the service is killed again and again: each arrives at least once, in order, and none is in
// the way of another.
import assert from "node:assert/strict"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import {
  startArrays,
  startElastic,
  type Trouble,
} from "../../packages/server/testing/sinks/vendors.ts"
import { openSecrets } from "../../packages/runtime/src/secrets.ts"
import { eventId } from "../../packages/stores/src/event-id.ts"
import { openPostgresRecords } from "../../packages/stores/src/postgres/records.ts"
import type { Records } from "../../packages/stores/src/records.ts"
import { testServerOrSkip } from "../../packages/stores/testing/postgres/test-server.ts"
import { openRecordsOf } from "./records-of.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const soak = process.env["ASSAY_SOAK"] !== undefined
const [EVENTS, KILLS] = soak ? [20_000, 20] : [1_000, 2]
const ALL_MS = soak ? 3_600_000 : 300_000
const COUNTS = `${EVENTS} events survive ${KILLS} kills and receivers that fail in every way`

const temporary = temporaryDirectory()

test(`sqlite: ${COUNTS}`, { timeout: ALL_MS }, async (context) => {
  const folder = join(temporary, "sqlite")
  await survive(context, folder, {
    services: 1,
    start: (_, env) => startService({ dataDirectory: join(folder, "data"), env }),
    openRecords: () => openRecordsOf(join(folder, "data")),
  })
})

test(`postgres, two services: ${COUNTS}`, { timeout: ALL_MS }, async (context) => {
  const postgres = await testServerOrSkip(context)
  if (postgres === null) return
  const url = await postgres.createDatabase()
  const folder = join(temporary, "postgres")
  mkdirSync(folder)
  const secretFile = join(folder, "secret")
  writeFileSync(secretFile, "5e".repeat(32), { mode: 0o600 })
  const place = { DATABASE_URL: url, ASSAY_SECRET_FILE: secretFile }
  await survive(context, folder, {
    services: 2,
    start: (n, env) =>
      startService({ dataDirectory: join(folder, `data-${n}`), env: { ...env, ...place } }),
    openRecords: async () => {
      const { audit: auditKey } = openSecrets(secretFile, false).subkeys
      return await openPostgresRecords({ url, poolMax: 2, auditKey })
    },
  })
})

/** What a receiver does, one call after the other. */
const TROUBLES: readonly (Trouble | null)[] = [
  null,
  { status: 503 },
  "lost",
  null,
  { status: 429, retryAfter: "1" },
  { status: 507 },
  null,
  { status: 413 },
]

interface Given {
  readonly services: number
  readonly start: (n: number, env: Record<string, string>) => Promise<Service>
  readonly openRecords: () => Promise<Records>
}

async function survive(context: TestContext, folder: string, given: Given): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const lake = join(folder, "lake.ndjson")
  writeFileSync(join(folder, "token"), "Bearer abc\n")
  writeFileSync(join(folder, "key"), "abc\n")
  const [arrays, elastic, away] = [
    await startArrays("Bearer abc"),
    await startElastic("abc", "logs-assay.event-default"),
    await startArrays("Bearer abc"),
  ]
  context.after(async () => {
    for (const each of [arrays, elastic, away]) await each.close()
  })
  arrays.trouble = elastic.trouble = (n) => TROUBLES[n % TROUBLES.length] ?? null
  let isAway = true
  away.trouble = (n) => (isAway ? (n % 5 === 0 ? "hang" : { status: 500 }) : null)
  const settings = {
    http: [
      { name: "arrays", url: arrays.url, format: "events", authorization_file: "token" },
      { name: "away", url: away.url, format: "events", authorization_file: "token" },
    ],
    elastic: [{ name: "search", url: elastic.url, api_key_file: "key" }],
    // A file is on one machine, so that several services would each have a part of the events.
    ...(given.services === 1 && { file: [{ name: "lake", path: "lake.ndjson" }] }),
  }
  writeFileSync(join(folder, "sinks.json"), JSON.stringify(settings))
  const env = { ASSAY_SINKS: join(folder, "sinks.json") }
  const services: Service[] = []
  for (let n = 0; n < given.services; n++) services.push(await given.start(n, env))
  const records = await given.openRecords()
  context.after(() => records.close())
  const names = ["arrays", "away", "search"]
  for (const name of names) await until(async () => (await records.sinkPosition(name)) !== null)
  const ids: string[] = []
  const add = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 100) {
      const some = Array.from({ length: Math.min(100, count - n) }, eventId)
      ids.push(...some)
      await records.addEvents(
        some.map((id) => ({
          ...{ id, tenantId: null, kind: "import.finished" as const, at: Date.now(), ref: null },
          ...{ identityKey: null, sealed: null },
          data: { import_id: id, source: "forum", report: null },
        })),
      )
    }
  }
  const portion = Math.floor(EVENTS / (KILLS + 1))
  for (let kill = 0; kill < KILLS; kill++) {
    await add(portion)
    await delay(Math.random() * 1_000)
    const n = kill % given.services
    await services[n]?.kill()
    services[n] = await given.start(n, env)
  }
  await add(EVENTS - ids.length)

  const arrived = (): string[] => arrays.taken.map(({ id }) => String(id))
  await until(() => new Set(arrived()).size === EVENTS)
  await until(() => elastic.taken.length === EVENTS)
  // Neither waited for the one that takes nothing.
  assert.equal(away.taken.length, 0)
  isAway = false
  await until(() => new Set(away.taken.map(({ id }) => id)).size === EVENTS)
  const first = (all: readonly unknown[]): unknown[] => [...new Set(all)]
  assert.deepEqual(first(arrived()), ids)
  assert.deepEqual(first(away.taken.map(({ id }) => id)), ids)
  // Found by its id, a document that was sent again is there once.
  assert.deepEqual(
    elastic.taken.map(({ _id }) => _id),
    ids,
  )
  assert.ok(arrays.taken.length > EVENTS, "an answer that was lost has a batch sent again")
  assert.deepEqual([arrays.faults, elastic.faults, away.faults], [[], [], []])
  if (given.services === 1) {
    const written = (): string[] =>
      readFileSync(lake, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => (JSON.parse(line) as { id: string }).id)
    await until(() => written().length >= EVENTS)
    assert.deepEqual(written(), ids)
  }
  for (const service of services) assert.equal(await service.stop(), 0)
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + ALL_MS
  while (!(await isSo())) {
    assert.ok(Date.now() < deadline, "it did not come to that")
    await delay(100)
  }
}
