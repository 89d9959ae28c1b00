import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { test } from "node:test"
import { Client } from "pg"
import { makeTrialClient } from "../../packages/carrier/src/trial-client.ts"
import { testServerOrSkip } from "../../packages/stores/testing/postgres/test-server.ts"
import { assay } from "../cli/assay.ts"
import { type Answers, answersOf, ASKED_AT, type Names, writeProviders } from "./older-data.ts"
import { startService } from "./service.ts"
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
  const folder = join(temporary, name)
  mkdirSync(folder)
  const archive = join(FIXTURE, `${engine}.tar.gz`)
  execFileSync("tar", ["-xzf", archive, "--no-same-owner", "-C", folder])
  const data = join(folder, "data")
  const { privateKeyPem } = await makeTrialClient("assay")
  const env = {
    ...place,
    NODE_ENV: "production",
    ASSAY_SECRET_IN_DATA: "true",
    ASSAY_PROVIDERS: writeProviders(folder, privateKeyPem),
    NODE_OPTIONS: `--import=${CLOCK}`,
    CLOCK_OFFSET_MS: String(ASKED_AT - Date.now()),
  }
  return await answersOf(
    () => startService({ dataDirectory: data, env, drop: true }),
    (args) => assay(args, { ...env, ASSAY_DATA: data }),
    recorded[engine].names,
  )
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
