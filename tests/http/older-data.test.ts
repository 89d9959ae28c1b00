import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { Client } from "pg"
import { makeTrialClient } from "../../packages/carrier/src/trial-client.ts"
import { INDEX_FORMAT } from "../../packages/stores/src/exposure-index.ts"
import { readIndexFacts } from "../../packages/stores/src/lmdb/index-facts.ts"
import { testServerOrSkip } from "../../packages/stores/testing/postgres/test-server.ts"
import { assay } from "../cli/assay.ts"
import {
  type Answers,
  answersOf,
  ASKED_AT,
  EMAILS,
  type Names,
  writeProviders,
} from "./older-data.ts"
import { explainedText, type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const FIXTURE = join(import.meta.dirname, "../fixtures/older-data")
const CLOCK = pathToFileURL(join(import.meta.dirname, "shifted-clock.ts")).href

type Engine = "embedded" | "postgres"
const recorded = JSON.parse(readFileSync(join(FIXTURE, "answers.json"), "utf8")) as Record<
  Engine,
  { readonly names: Names; readonly answers: Answers }
>

/** Past some milliseconds a score goes without what is counted, so that nobody waits for it. */
const COUNTED = "a sign-up on a known device"
const ATTEMPTS = 5

/**
 * What today's program answers about the data that the older one wrote; begun again from that data
 * where the machine was too slow for what is counted.
 */
async function answersToday(
  engine: Engine,
  placeOf: () => Promise<Record<string, string>>,
): Promise<Answers> {
  for (let attempt = 1; ; attempt++) {
    const answers = await answersOnce(engine, `${engine}-${attempt}`, await placeOf())
    const { body } = answers[COUNTED] as {
      body: { explanation?: { input: { coverage: { bot: number } } } }
    }
    if (body.explanation?.input.coverage.bot !== 0 || attempt === ATTEMPTS) return answers
  }
}

async function answersOnce(
  engine: Engine,
  name: string,
  place: Record<string, string>,
): Promise<Answers> {
  const folder = unpacked(engine, name)
  const data = join(folder, "data")
  const { privateKeyPem } = await makeTrialClient("assay")
  const env = {
    ...place,
    ...settings(),
    ASSAY_PROVIDERS: writeProviders(folder, privateKeyPem),
  }
  return await answersOf(
    () => startService({ dataDirectory: data, env, drop: true }),
    (args) => assay(args, { ...env, ASSAY_DATA: data }),
    recorded[engine].names,
  )
}

/** A folder with what the older program wrote. */
function unpacked(engine: Engine, name: string): string {
  const folder = join(temporary, name)
  mkdirSync(folder)
  const archive = join(FIXTURE, `${engine}.tar.gz`)
  execFileSync("tar", ["-xzf", archive, "--no-same-owner", "-C", folder])
  return folder
}

function settings(): Record<string, string> {
  return {
    NODE_ENV: "production",
    ASSAY_SECRET_IN_DATA: "true",
    NODE_OPTIONS: `--import=${CLOCK}`,
    CLOCK_OFFSET_MS: String(ASKED_AT - Date.now()),
  }
}

/** One by one, so that a difference is shown with its question. */
function assertSame(found: Answers, { answers }: { readonly answers: Answers }): void {
  assert.deepEqual(Object.keys(found), Object.keys(answers))
  for (const [question, answer] of Object.entries(answers))
    assert.deepEqual(withoutNewer(found[question]), answer, question)
}

interface Newer {
  /** The older program had none, so its exports have no list of them, and ours an empty one. */
  readonly reviews?: unknown
  /** Of lists of sources. */
  readonly newest?: unknown
  readonly sources?: readonly { readonly circulation?: unknown }[]
}

/** An answer without the members that the older program did not have. */
function withoutNewer(answer: unknown): unknown {
  const { body } = answer as { readonly body?: Newer }
  if (body?.reviews === undefined && body?.newest === undefined) return answer
  const { reviews = [], newest: _newest, sources, ...rest } = body
  assert.deepEqual(reviews, [])
  const listed = sources?.map(({ circulation: _circulation, ...source }) => source)
  return { ...(answer as object), body: { ...rest, ...(listed && { sources: listed }) } }
}

test("a data directory of an older program opens, migrates and answers the same", async () => {
  assertSame(await answersToday("embedded", async () => ({})), recorded.embedded)
})

test("the index of an older program answers while it is made anew, and the new one answers the same", async () => {
  const data = join(unpacked("embedded", "made-anew"), "data")
  const { keys } = recorded.embedded.names
  const begun = { dataDirectory: data, env: settings() }
  const formatNow = async (): Promise<number> => (await readIndexFacts(join(data, "index"))).format
  const answered = async (service: Service): Promise<string[]> =>
    await Promise.all(EMAILS.map((email) => explainedText(service, email, keys.acme)))
  assert.ok((await formatNow()) < INDEX_FORMAT)

  let service = await startService(begun)
  const before = await answered(service)
  assert.ok(before.some((text) => !text.includes('"lifecycle_stage":"CLEAN"')))
  const deadline = performance.now() + 60_000
  while ((await formatNow()) < INDEX_FORMAT) {
    assert.deepEqual(await answered(service), before)
    assert.ok(performance.now() < deadline, service.stderr())
    await delay(50)
  }
  // Workers hear of it a moment after it is there.
  for (let n = 0; n < 20; n++) {
    assert.deepEqual(await answered(service), before)
    await delay(100)
  }
  assert.match(service.stderr(), /the index of an older version is being made anew, and serves/)
  assert.match(service.stderr(), /the index was compacted/)
  assert.equal(await service.stop(), 0)

  service = await startService(begun)
  assert.deepEqual(await answered(service), before)
  assert.equal(await service.stop(), 0)
})

/**
 * Several nodes go by the clock of the database, which then has to show the same time as theirs.
 */
async function putBack(client: Client, database: string): Promise<void> {
  await client.query(
    `create function public.clock_timestamp() returns timestamptz language sql as
      $$ select pg_catalog.clock_timestamp() + ${ASKED_AT - Date.now()} * interval '1 millisecond' $$`,
  )
  await client.query(`alter database "${database}" set search_path = public, pg_catalog`)
}

test("so does one whose records and decisions are in PostgreSQL", async (context) => {
  const server = await testServerOrSkip(context)
  if (server === null) return
  const place = async (): Promise<Record<string, string>> => {
    const url = await server.createDatabase()
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(readFileSync(join(FIXTURE, "postgres.sql"), "utf8"))
    await putBack(client, new URL(url).pathname.slice(1))
    await client.end()
    return { DATABASE_URL: url }
  }
  assertSame(await answersToday("postgres", place), recorded.postgres)
})
