import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DecisionList } from "@assay/core/contract"
import { newDecisionId } from "@assay/stores/decision-id"
import { openDecisions, openRecords } from "@assay/stores/open/open-database"
import { openRequestTag } from "../packages/server/src/decisions/request-tag.ts"
import { identifiedEmail } from "../packages/server/src/http/identified.ts"
import { openSecrets } from "../packages/runtime/src/secrets.ts"
import { DAY_MS } from "../packages/runtime/src/time.ts"
import { startTestServer } from "../packages/stores/testing/postgres/test-server.ts"
import { assayProgram } from "../scripts/program.ts"
import { markdownTable } from "../scripts/table.ts"
import { type Bench, BenchError } from "./bench.ts"
import { type RunningProgram, startProgram } from "./child-program.ts"
import { RARE_STAGE, tableRows } from "./decisions/table-rows.ts"
import { machineFacts, machineLines } from "./machine.ts"
import { writeResults } from "./results.ts"
import { median, percentile } from "./statistics.ts"

const AIM_MS = 300
const PAGE = 50
const FILLED_AT_ONCE = 20_000
/** Rows lie in the files or partitions of two months. */
const DAYS = 30
const KNOWN = "known.person@mail.example"
const KNOWN_REQUEST = "3f0c2c5e-bench"

interface Measured {
  readonly engine: string
  readonly fillSeconds: number
  readonly pages: readonly {
    readonly name: string
    readonly found: number
    readonly ms: readonly number[]
  }[]
}

export const decisionsTableBench: Bench<"rounds" | "rows"> = {
  name: "decisions-table",
  summary: "pages of a table of decisions, as the console asks the running service for them",
  options: {
    rounds: { fallback: 100, min: 1, max: 10_000, meaning: "requests for each page" },
    rows: { fallback: 1_000_000, min: 1_000, max: 100_000_000, meaning: "decisions in the table" },
  },
  async run({ rounds, rows }) {
    const machine = machineFacts()
    const measured = [await measure("SQLite", null, rounds, rows)]
    const server = await startTestServer().catch((error: unknown) => {
      console.log(`Without PostgreSQL: ${String(error)}`)
      return null
    })
    if (server !== null) {
      try {
        measured.push(await measure("PostgreSQL", await server.createDatabase(), rounds, rows))
      } finally {
        await server.stop()
      }
    }
    const table = tableOf(measured)
    console.log(`\n${table}\n`)
    const page = `# A table of decisions

Printed by \`npm run bench -- decisions-table\`: ${rows.toLocaleString("en")} decisions of one tenant over ${DAYS} days, added by the store's writer. Then
a service with one worker is asked for pages of ${PAGE} over HTTP, ${rounds} times each, one request after another, the pages in turn. A
time is from sending a request to having read its answer. The first page of a list has the service bring into the store
what its workers wrote so far.

${machineLines(machine)}

${table}
`
    const written = writeResults(
      "decisions-table",
      { machine, options: { rounds, rows }, measured },
      page,
    )
    console.log(`Written to ${written.join(" and ")}`)
  },
}

async function measure(
  engine: string,
  databaseUrl: string | null,
  rounds: number,
  rows: number,
): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "assay-bench-"))
  try {
    const place = { dataDirectory: join(folder, "data"), databaseUrl }
    const secret = join(folder, "secret")
    const { subkeys } = openSecrets(secret, true)
    const start = (): Promise<RunningProgram> =>
      startProgram(
        [...assayProgram(), "serve"],
        {
          ASSAY_DATA: place.dataDirectory,
          ASSAY_SECRET_FILE: secret,
          ASSAY_WORKERS: "1",
          PORT: "0",
          DROP: "off",
          ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
        },
        /http:\/\/localhost:(\d+)\/docs\n.*API key +(ask_demo_\w+)\n/,
      )
    // The first start makes the demo's tenant, whose table this is to be.
    await (await start()).stop()
    const records = await openRecords(place)
    const tenant = await records.tenantByName("demo")
    await records.close()
    if (tenant === null) throw new BenchError("there is no tenant of the demo")
    const untilMs = Date.now()
    const fromMs = untilMs - DAYS * DAY_MS
    console.log(`${engine}: ${rows.toLocaleString("en")} decisions first …`)
    const startedAt = performance.now()
    const decisions = await openDecisions(place, { connections: 2 })
    const { identityKey: known } = identifiedEmail(KNOWN, subkeys)
    const requestTag = openRequestTag(subkeys.request)(KNOWN_REQUEST)
    const tenantId = tenant.id
    const of = { tenantId, keyId: "key_bench", known, requestTag, fromMs, untilMs, count: rows }
    for (const some of tableRows(of, FILLED_AT_ONCE)) await decisions.add(some)
    await decisions.close()
    const fillSeconds = (performance.now() - startedAt) / 1000
    const service = await start()
    try {
      const [, port = "", key = ""] = service.ready
      const pages = await asked({ port, key, fromMs, untilMs }, rounds)
      return { engine, fillSeconds, pages }
    } finally {
      await service.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Table {
  readonly port: string
  readonly key: string
  readonly fromMs: number
  readonly untilMs: number
}

/** The pages a person can ask for: a query of a list, or the body of a search. */
function pagesOf({ fromMs, untilMs }: Table): Record<string, string | object> {
  const middle = Math.floor((fromMs + untilMs) / 2)
  const time = (ms: number): string => encodeURIComponent(new Date(ms).toISOString())
  return {
    "the first page": "",
    "jump: before an id in the middle": `before=${newDecisionId(middle)}`,
    "jump: before the oldest page": `before=${newDecisionId(fromMs + 60_000)}`,
    "a day in the middle": `from=${time(middle)}&until=${time(middle + DAY_MS)}`,
    "kind: email": "subject=email",
    "kind: phone": "subject=phone",
    "action: block": "action=block",
    "action: review": "action=review",
    "band: critical": "band=critical",
    "stage: TESTED": "stage=TESTED",
    [`stage: ${RARE_STAGE}, 1 row in 100,000`]: `stage=${RARE_STAGE}`,
    "stage and kind that never meet": "subject=phone&stage=TESTED",
    "stage and action that never meet": "stage=CLEAN&action=block",
    "band and action that never meet": "band=low&action=block",
    "band and stage that rarely meet": "band=critical&stage=LEAKED",
    "a request with some 20 rows": `request_id=${KNOWN_REQUEST}`,
    "a request nobody made": "request_id=3f0c2c5e-nobody",
    "an identity with some 20 rows": { email: KNOWN },
    "an identity, and an action it never had": { email: KNOWN, action: "block", band: "low" },
    "an identity nobody asked about": { email: "nobody.asked@mail.example" },
  }
}

async function asked(table: Table, rounds: number): Promise<Measured["pages"]> {
  const { port, key } = table
  const headers = { authorization: `Bearer ${key}` }
  const ask = async (what: string | object): Promise<DecisionList> => {
    const path = `http://localhost:${port}/api/v1/decisions`
    const answer =
      typeof what === "string"
        ? await fetch(`${path}?limit=${PAGE}&${what}`, { headers })
        : await fetch(`${path}/search`, {
            method: "POST",
            headers: { ...headers, "content-type": "application/json" },
            body: JSON.stringify({ ...what, limit: PAGE }),
          })
    if (answer.status !== 200)
      throw new BenchError(`${answer.status} ${await answer.text()} for ${JSON.stringify(what)}`)
    return (await answer.json()) as DecisionList
  }
  const pages = Object.entries(pagesOf(table)).map(([name, what]) => ({
    name,
    what,
    found: 0,
    ms: [] as number[],
  }))
  for (let round = -1; round < rounds; round++) {
    for (const page of pages) {
      const startedAt = performance.now()
      page.found = (await ask(page.what)).decisions.length
      // The first request of each brings code and files into memory.
      if (round >= 0) page.ms.push(performance.now() - startedAt)
    }
  }
  return pages.map(({ name, found, ms }) => ({ name, found, ms }))
}

function tableOf(measured: readonly Measured[]): string {
  return markdownTable(
    ["store", "page", "found", "p50 ms", "p95 ms", "worst", "p95 aim", "met"],
    measured.flatMap(({ engine, pages }) =>
      pages.map(({ name, found, ms }) => [
        engine,
        name,
        found,
        median(ms).toFixed(1),
        percentile(ms, 0.95).toFixed(1),
        Math.max(...ms).toFixed(1),
        AIM_MS,
        percentile(ms, 0.95) <= AIM_MS ? "yes" : "NO",
      ]),
    ),
  )
}
