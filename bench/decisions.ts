import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { BANDS } from "@assay/core/score"
import type { DecisionQuery, DecisionsReader } from "@assay/stores/decisions"
import { readDecisions } from "@assay/stores/open/open-database"
import { scoringSettings } from "../packages/server/src/accounts/tenant-settings.ts"
import { backTest } from "../packages/server/src/policy/backtest.ts"
import { decisionPages } from "../packages/server/src/policy/decision-pages.ts"
import { openModels } from "../packages/server/src/score/models.ts"
import { startTestServer } from "../packages/stores/testing/postgres/test-server.ts"
import { markdownTable } from "../scripts/table.ts"
import type { Bench } from "./bench.ts"
import type { FoldAnswer, FoldThreadData } from "./decisions/fold-thread.ts"
import { Journalled } from "./decisions/journalled.ts"
import { machineFacts, machineLines } from "./machine.ts"
import { writeResults } from "./results.ts"
import { median } from "./statistics.ts"

/** A second's decisions of a busy service. */
const AT_ONCE = 5_000
const FOLDS = 10
const FOLD_AIM_MICROS = 5
const SEARCH_AIM_MS = 300
/** Decisions a fold before anything is measured. */
const FILLED_AT_ONCE = 20_000
const PAGE = 50
/** Decisions a second of a core. */
const BACK_TEST_AIM = 5_000
const BACK_TEST_MAX = 100_000

interface Measured {
  readonly engine: string
  /** Of each round, a decision: processor time of the thread that folds, and the wall's. */
  readonly fold: { readonly processorMicros: number; readonly wallMicros: number }[]
  readonly stored: number
  readonly searches: { readonly name: string; readonly found: number; readonly ms: number[] }[]
  readonly backTest: BackTested
}

interface BackTested {
  readonly decisions: number
  readonly changed: number
  readonly perSecond: number
  /** Processor time of this process a decision, reading from the store included. */
  readonly processorMicros: number
}

export const decisionsBench: Bench<"rounds" | "stored"> = {
  name: "decisions",
  summary:
    "folding the journals into the store, pages of stored decisions, and back-tests over them, on both engines",
  options: {
    rounds: { fallback: 9, min: 1, max: 1000, meaning: "rounds to take the median of" },
    stored: {
      fallback: 1_000_000,
      min: 0,
      max: 100_000_000,
      meaning: "decisions that are there before",
    },
  },
  async run({ rounds, stored }) {
    const machine = machineFacts()
    const measured = [await measure("SQLite", null, rounds, stored)]
    const server = await startTestServer().catch((error: unknown) => {
      console.log(`Without PostgreSQL: ${String(error)}`)
      return null
    })
    if (server !== null) {
      try {
        const url = await server.createDatabase()
        measured.push(await measure("PostgreSQL", url, rounds, stored))
      } finally {
        await server.stop()
      }
    }
    const tables = tablesOf(measured)
    console.log(`\n${tables}\n`)
    const page = `# Decisions

Printed by \`npm run bench -- decisions\`: journals of ${AT_ONCE.toLocaleString("en")} decisions are folded into a store that has
${stored.toLocaleString("en")}, ${FOLDS} in each of ${rounds} rounds. The processor's time is that of the thread that folds, from reading the
journal to the commit; PostgreSQL's own process is not in it. Then pages of ${PAGE} are read, on the connection of a reader, and the
newest decisions of a tenant, ${BACK_TEST_MAX.toLocaleString("en")} at most, are run under another policy.

${machineLines(machine)}

${tables}
`
    const written = writeResults(
      "decisions",
      { machine, options: { rounds, stored }, measured },
      page,
    )
    console.log(`Written to ${written.join(" and ")}`)
  },
}

async function measure(
  engine: string,
  databaseUrl: string | null,
  rounds: number,
  stored: number,
): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "assay-bench-"))
  const place = { dataDirectory: folder, databaseUrl }
  const journalled = new Journalled(Date.UTC(2026, 10, 2))
  const thread = startThread({ ...place, journal: join(folder, "journal") })
  try {
    let folders = 0
    const folded = async (count: number, times: number): Promise<FoldAnswer> => {
      const left = Array.from({ length: times }, () => {
        const name = String(++folders)
        journalled.leave(join(folder, "left"), name, count)
        return join(folder, "left", name)
      })
      return await thread.fold(left)
    }
    console.log(`${engine}: ${stored.toLocaleString("en")} decisions first …`)
    for (let there = 0; there < stored; there += FILLED_AT_ONCE)
      await folded(Math.min(FILLED_AT_ONCE, stored - there), 1)
    const fold: Measured["fold"] = []
    for (let round = 0; round < rounds; round++) {
      const answer = await folded(AT_ONCE, FOLDS)
      fold.push({
        processorMicros: answer.processorMicros / answer.folded,
        wallMicros: (answer.wallMs * 1000) / answer.folded,
      })
    }
    const reader = await readDecisions(place)
    try {
      const searches = await searched(reader, journalled, rounds)
      const backTest = await backTested(reader, journalled)
      return { engine, fold, stored: stored + rounds * FOLDS * AT_ONCE, searches, backTest }
    } finally {
      await reader.close()
    }
  } finally {
    await thread.end()
    rmSync(folder, { recursive: true })
  }
}

interface FoldThread {
  fold(folders: readonly string[]): Promise<FoldAnswer>
  end(): Promise<void>
}

function startThread(data: FoldThreadData): FoldThread {
  mkdirSync(data.journal)
  const worker = new Worker(new URL("./decisions/fold-thread.ts", import.meta.url), {
    workerData: data,
  })
  return {
    async fold(folders) {
      worker.postMessage(folders)
      const [answer] = (await once(worker, "message")) as [FoldAnswer]
      return answer
    },
    async end() {
      worker.postMessage(null)
      await once(worker, "exit")
    },
  }
}

/** Pages by everything that decisions can be searched by; some have no decision that passes. */
async function searched(
  reader: DecisionsReader,
  { identityKey, tenantId, startMs, atMs }: Journalled,
  rounds: number,
): Promise<Measured["searches"]> {
  const middle = Math.floor((startMs + atMs) / 2)
  const first = await reader.list({ tenantId, limit: 1, until: middle })
  const band = BANDS.find(({ name }) => name === "critical")
  const queries: Record<string, Partial<DecisionQuery>> = {
    "the newest": {},
    "before an id in the middle": { before: first[0]?.id ?? "" },
    "a minute in the middle": { from: middle, until: middle + 60_000 },
    "kind: email": { identityType: "email" },
    "kind: phone (none)": { identityType: "phone" },
    "action: block": { action: "block" },
    "action none has": { action: "none" },
    "band: critical": { scores: [band?.from ?? 80, 100] },
    "scores none has, between those there are": { scores: [47, 48] },
    "stage: TESTED": { stage: "TESTED" },
    "stage none has": { stage: "NONE" },
    "stage and action that never meet": { stage: "CLEAN", action: "block" },
    "an identity": { identityKey },
    "an identity nobody asked about": { identityKey: new Uint8Array(16).fill(1) },
    "a tenant without any": { tenantId: 77 },
  }
  const searches: Measured["searches"] = []
  for (const [name, query] of Object.entries(queries)) {
    const ms: number[] = []
    let found = 0
    for (let round = 0; round < rounds; round++) {
      const startedAt = performance.now()
      found = (await reader.list({ tenantId, limit: PAGE, ...query })).length
      ms.push(performance.now() - startedAt)
    }
    searches.push({ name, found, ms })
  }
  return searches
}

/** Runs a tenant's newest decisions under a policy that changes many of them. */
async function backTested(
  reader: DecisionsReader,
  { tenantId, startMs }: Journalled,
): Promise<BackTested> {
  let [decisions, changed] = [0, 0]
  async function* pages() {
    for await (const page of decisionPages(reader, { tenantId, from: startMs })) {
      yield page
      decisions += page.length
      if (decisions >= BACK_TEST_MAX) return
    }
  }
  const startedAt = performance.now()
  const before = process.cpuUsage()
  await backTest({
    pages: pages(),
    proposal: scoringSettings({ prior_abuse: 0.1, costs: { loss: 40 } }),
    models: openModels("/nowhere"),
    onChanged: () => changed++,
  })
  const { user, system } = process.cpuUsage(before)
  const seconds = (performance.now() - startedAt) / 1000
  const processorMicros = (user + system) / decisions
  return { decisions, changed, perSecond: decisions / seconds, processorMicros }
}

function tablesOf(measured: readonly Measured[]): string {
  const folds = markdownTable(
    ["store", "processor µs a decision, best", "median", "aim", "met by median", "wall µs, median"],
    measured.map(({ engine, fold }) => {
      const micros = fold.map(({ processorMicros }) => processorMicros)
      return [
        engine,
        Math.min(...micros).toFixed(2),
        median(micros).toFixed(2),
        FOLD_AIM_MICROS,
        median(micros) <= FOLD_AIM_MICROS ? "yes" : "NO",
        median(fold.map(({ wallMicros }) => wallMicros)).toFixed(2),
      ]
    }),
  )
  const pages = measured.flatMap(({ engine, stored, searches }) =>
    searches.map(({ name, found, ms }) => [
      engine,
      stored.toLocaleString("en"),
      name,
      found,
      Math.min(...ms).toFixed(1),
      median(ms).toFixed(1),
      SEARCH_AIM_MS,
      median(ms) <= SEARCH_AIM_MS ? "yes" : "NO",
    ]),
  )
  const columns = ["store", "decisions", "page by", "found", "best ms", "median ms", "aim", "met"]
  const backTests = markdownTable(
    ["store", "back-test over", "changed", "a second", "aim", "met", "processor µs a decision"],
    measured.map(({ engine, backTest: { decisions, changed, perSecond, processorMicros } }) => [
      engine,
      decisions.toLocaleString("en"),
      changed.toLocaleString("en"),
      Math.round(perSecond).toLocaleString("en"),
      BACK_TEST_AIM.toLocaleString("en"),
      perSecond >= BACK_TEST_AIM ? "yes" : "NO",
      processorMicros.toFixed(1),
    ]),
  )
  return `${folds}\n\n${markdownTable(columns, pages)}\n\n${backTests}`
}
