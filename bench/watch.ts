import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { assayProgram } from "../scripts/program.ts"
import { markdownTable } from "../scripts/table.ts"
import { type Bench, BenchError } from "./bench.ts"
import { type RunningProgram, startProgram } from "./child-program.ts"
import { runMeasured } from "./corpus/run-measured.ts"
import { writeRows } from "./corpus/rows-file.ts"
import { machineFacts, machineLines } from "./machine.ts"
import {
  anonymousBytes,
  ownProcessorMicros,
  processorMicros,
  processTree,
  requireProcessFigures,
} from "./process-figures.ts"
import { writeResults } from "./results.ts"
import { emailsOf, openWatchState, watchRows, type WatchState } from "./watch/watched-rows.ts"

/** What the issue of events asks for. */
const IMPORT_AIM = 0.1
const ADDED = 1_000
const REST_MS = 5_000
const LOOK_MS = 250
const ROUND_MS = 2_000
const DONE_MS = 3_600_000
/** Of the addresses of `writeRows`, one in 200,000 is here. */
const CHANGED_DOMAIN = "host-7.example"

type Given = Readonly<Record<"rows" | "watched" | "named", number>>

/** Processor time and time of something that the service did. */
interface Spent {
  readonly seconds: number
  readonly processorSeconds: number
}

interface Figures {
  readonly domains: number
  readonly bareBytes: number
  readonly watchingBytes: number
  readonly peakBytes: number
  readonly imported: Spent
  readonly matched: Spent
  /** Items that the import names. */
  readonly events: number
  readonly listed: Spent
  readonly added: Spent
}

export const watchBench: Bench<keyof Given> = {
  name: "watch",
  summary: "memory with a million watched identities, and what an import and a list then cost",
  options: {
    rows: { fallback: 10_000_000, min: 10_000, max: 1_000_000_000, meaning: "rows to import" },
    watched: { fallback: 1_000_000, min: 2_000, max: 1_000_000, meaning: "watched identities" },
    named: { fallback: 10_000, min: 0, max: 1_000_000, meaning: "of them, named by the import" },
  },
  async run(given) {
    requireProcessFigures()
    const machine = machineFacts()
    const folder = mkdtempSync(join(tmpdir(), "assay-bench-watch-"))
    try {
      const figures = await measured(folder, given)
      const table = tableOf(figures)
      console.log(`\n${table}\n`)
      const page = `# Watch list

Printed by \`npm run bench -- watch\`: ${given.watched.toLocaleString("en")} watched addresses at ${figures.domains.toLocaleString("en")} domains, and an import of
${given.rows.toLocaleString("en")} rows that names ${given.named.toLocaleString("en")} of them. What the service does for it is reading the batch beside the watched keys, scoring
those it names and writing their events (${figures.events.toLocaleString("en")} here); what it uses at rest is taken off. Ratios are of
processor time in one run.

${machineLines(machine)}

${table}
`
      const results = { machine, options: given, figures }
      console.log(`Written to ${writeResults("watch", results, page).join(" and ")}`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

async function measured(folder: string, { rows, watched, named }: Given): Promise<Figures> {
  const data = join(folder, "data")
  say(`writing ${rows} rows`)
  const file = join(folder, "rows.txt")
  await writeRows(file, rows, 1)
  const others = join(folder, "others.txt")
  await writeRows(others, watched, 2)

  let service = await start(data)
  await delay(REST_MS)
  const bareBytes = memoryOf(service)
  await service.stop()

  say(`watching ${watched} addresses`)
  const fromImport = Math.min(named, rows, watched - ADDED)
  await watchRows(data, both(file, fromImport, others, watched - ADDED - fromImport))
  service = await start(data)
  const state = openWatchState(data)
  try {
    await delay(REST_MS)
    await settled(state)
    const watchingBytes = memoryOf(service)
    const atRest = await restingShare(service)
    const domains = state.domains()
    const done = state.batchesDone()

    say("importing")
    const eventsBefore = state.events()
    let peakBytes = 0
    const [primary] = processTree(service.pid)
    const looking = setInterval(
      () => (peakBytes = Math.max(peakBytes, anonymousBytes(primary ?? service.pid))),
      LOOK_MS,
    )
    const before = serviceMicros(service)
    const startedAt = performance.now()
    const imported = await importRows(data, file)
    say("going through it")
    await until(() => state.batchesDone() > done)
    const doneAt = await settled(state)
    clearInterval(looking)
    const elapsed = performance.now() - startedAt
    const matched = {
      seconds: (doneAt - startedAt) / 1000 - imported.seconds,
      processorSeconds: (serviceMicros(service) - before) / 1e6 - (atRest * elapsed) / 1000,
    }
    const events = state.events() - eventsBefore

    say("changing a list")
    const [version = ""] = state.versions()
    const list = join(folder, "list.txt")
    writeFileSync(list, `${CHANGED_DOMAIN}\n`)
    const listed = await spent(service, atRest, async () => {
      const args = ["lists", "import", list, "--category", "disposable", "--name", "bench"]
      await assay(data, ...args)
      await until(() => !state.versions().includes(version))
      return await settled(state)
    })

    say(`adding ${ADDED}`)
    const added = await spent(service, atRest, async () => {
      await addByHttp(service, join(folder, "more.txt"))
      return await settled(state)
    })
    if (state.items() !== watched) throw new BenchError(`${state.items()} are watched`)
    return {
      ...{ domains, bareBytes, watchingBytes, peakBytes },
      ...{ imported, matched, events, listed, added },
    }
  } finally {
    state.close()
    await service.stop()
  }
}

function start(data: string): Promise<RunningProgram> {
  return startProgram(
    [...assayProgram(), "serve"],
    { ASSAY_DATA: data, ASSAY_WORKERS: "1", PORT: "0", DROP: "off" },
    /http:\/\/localhost:(\d+)\/docs\n.*API key +(ask_demo_\w+)\n/,
  )
}

async function* both(
  file: string,
  count: number,
  other: string,
  otherCount: number,
): AsyncGenerator<string> {
  yield* emailsOf(file, count)
  yield* emailsOf(other, otherCount)
}

async function assay(data: string, ...args: readonly string[]): Promise<number> {
  const env = { ASSAY_DATA: data }
  return (await runMeasured(process.execPath, [...assayProgram(), ...args], { env })).seconds
}

async function importRows(data: string, file: string): Promise<Spent> {
  const before = childrenMicros()
  const options = ["--source", "bench", "--kind", "combolist", "--date", "2026-01-01"]
  const seconds = await assay(data, "corpus", "import", file, ...options)
  return { seconds, processorSeconds: (childrenMicros() - before) / 1e6 }
}

/** Of the processes that the bench started and saw end, in microseconds. */
function childrenMicros(): number {
  const { user, system } = process.cpuUsage()
  return ownProcessorMicros() - user - system
}

function serviceMicros({ pid }: RunningProgram): number {
  return processTree(pid).reduce((sum, member) => sum + processorMicros(member), 0)
}

function memoryOf({ pid }: RunningProgram): number {
  return processTree(pid).reduce((sum, member) => sum + anonymousBytes(member), 0)
}

/** Seconds of processor time that it uses in a second. */
async function restingShare(service: RunningProgram): Promise<number> {
  const before = serviceMicros(service)
  const startedAt = performance.now()
  await delay(REST_MS)
  return (serviceMicros(service) - before) / 1000 / (performance.now() - startedAt)
}

async function spent(
  service: RunningProgram,
  atRest: number,
  /** Returns when it was done, by `performance.now`. */
  work: () => Promise<number>,
): Promise<Spent> {
  const before = serviceMicros(service)
  const startedAt = performance.now()
  const doneAt = await work()
  const resting = (atRest * (performance.now() - startedAt)) / 1000
  const used = (serviceMicros(service) - before) / 1e6 - resting
  return { seconds: (doneAt - startedAt) / 1000, processorSeconds: Math.max(0, used) }
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + DONE_MS
  while (!isSo()) {
    if (performance.now() > deadline) throw new BenchError("the service did not come to its end")
    await delay(LOOK_MS)
  }
}

/**
 * Waits until nothing is due, for longer than a round takes to begin; returns since when nothing
 * is, by `performance.now`.
 */
async function settled(state: WatchState): Promise<number> {
  let quietSince = performance.now()
  while (performance.now() - quietSince < ROUND_MS) {
    if (state.isDue()) quietSince = performance.now()
    await delay(LOOK_MS)
  }
  return quietSince
}

async function addByHttp({ ready }: RunningProgram, file: string): Promise<void> {
  await writeRows(file, ADDED, 3)
  const lines: string[] = []
  for await (const email of emailsOf(file, ADDED)) lines.push(`${JSON.stringify({ email })}\n`)
  const [, port = "", key = ""] = ready
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/watchlist`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/x-ndjson" },
    body: lines.join(""),
  })
  const results = await response.text()
  const added = results.split("\n").filter((line) => line.includes('"added"')).length
  if (added !== ADDED) throw new BenchError(`${added} were added:\n${results.slice(0, 300)}`)
}

function tableOf(figures: Figures): string {
  const { bareBytes, watchingBytes, peakBytes, imported, matched, listed, added } = figures
  const ratio = matched.processorSeconds / imported.processorSeconds
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0)
  const row = (what: string, figure: string, aim = "", met = ""): string[] => [
    ...[what, figure, aim, met],
  ]
  return markdownTable(
    ["what", "figure", "aim", "met"],
    [
      row("memory of the service with nobody watched, MB", megabytes(bareBytes)),
      row("with all of them watched, MB", megabytes(watchingBytes)),
      row(
        "of the primary alone, at most while it goes through the import, MB",
        megabytes(peakBytes),
      ),
      row("import, s of the processor", imported.processorSeconds.toFixed(1)),
      row("going through it and scoring, s of the processor", matched.processorSeconds.toFixed(2)),
      row(
        "that of the import's, %",
        (100 * ratio).toFixed(1),
        `under ${100 * IMPORT_AIM}`,
        ratio < IMPORT_AIM ? "yes" : "NO",
      ),
      row("import, s", imported.seconds.toFixed(1)),
      row("from its end until all was scored and told, s", matched.seconds.toFixed(1)),
      row("a change of one list, s of the processor", listed.processorSeconds.toFixed(2)),
      row("a change of one list until all domains and items follow, s", listed.seconds.toFixed(1)),
      row(
        `${ADDED.toLocaleString("en")} more by HTTP, scored, s of the processor`,
        added.processorSeconds.toFixed(2),
      ),
      row(
        `${ADDED.toLocaleString("en")} more by HTTP until they are scored, s`,
        added.seconds.toFixed(1),
      ),
    ],
  )
}

function say(what: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${what}`)
}
