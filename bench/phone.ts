import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { markdownTable } from "../scripts/table.ts"
import { type Bench, BenchError } from "./bench.ts"
import { type RunningProgram, startProgram } from "./child-program.ts"
import { ANSWERS, WORKERS } from "./http/constant-answers.ts"
import { phoneMix } from "./http/identity-mix.ts"
import { findWrk, type LoadTarget, pacedLoad, peakLoad } from "./http/load.ts"
import { type LoadMeasurement, underLoad } from "./http/measure.ts"
import { machineFacts, machineLines } from "./machine.ts"
import { type SlowCarrier, startSlowCarrier } from "./phone/slow-carrier.ts"
import { requireProcessFigures } from "./process-figures.ts"
import { writeResults } from "./results.ts"
import { median } from "./statistics.ts"
import { assayProgram } from "../scripts/program.ts"

const PATH = "/api/v1/phone-risk"
const SERVICE = [...assayProgram(), "serve"]
const READY = /http:\/\/localhost:(\d+)\/docs\n.*API key +(ask_demo_\w+)\n/
const CONNECTIONS = 32
/** As in the bench of HTTP: the compiler goes on improving a route until about then. */
const WARM_UP_REQUESTS = 60_000

const NAMES = ["bare", "on", "off"] as const
type Name = (typeof NAMES)[number]
type Round = Readonly<Record<Name, LoadMeasurement>>
interface Server {
  readonly pid: number
  readonly target: LoadTarget
}

const LABELS: Readonly<Record<Name, string>> = {
  bare: "Fastify, phone schemas, constant body",
  on: "score phone, nothing connected",
  off: "the same, decisions not recorded",
}

/** The rate at which a slow carrier must not be felt, and how long an answer may take then. */
const RATE = 100
const SLOW_P95_MS = 200

export const phoneBench: Bench<"seconds" | "rounds"> = {
  name: "phone",
  summary: "the phone route beside a bare Fastify route, and with a carrier that takes 5 seconds",
  options: {
    seconds: { fallback: 4, min: 1, max: 600, meaning: "seconds of each load" },
    rounds: { fallback: 5, min: 1, max: 100, meaning: "rounds to take the median of" },
  },
  async run({ seconds, rounds: count }) {
    requireProcessFigures()
    const machine = machineFacts()
    const folder = mkdtempSync(join(tmpdir(), "assay-bench-"))
    const programs: RunningProgram[] = []
    const start = async (...args: Parameters<typeof startProgram>): Promise<RunningProgram> => {
      const program = await startProgram(...args)
      programs.push(program)
      return program
    }
    try {
      const bodiesFile = join(folder, "phones.ndjson")
      writeFileSync(bodiesFile, phoneMix().map(bodyOf).join(""))
      const servers = await startServers(folder, bodiesFile, start)
      const rounds = await measured(servers, seconds, count)
      for (const program of programs.splice(0)) await program.stop()
      console.log("A carrier that takes 5 seconds …")
      const slow = await withSlowCarrier(folder, seconds, start)
      const tables = tablesOf(rounds, slow)
      console.log(`\n${tables}\n`)
      const page = `# Phone

Printed by \`npm run bench -- phone\`. Figures are medians of ${count} rounds of ${seconds} s; every ratio is taken within a round,
against a bare Fastify route with the same schemas. ${CONNECTIONS} connections, one worker, the generator on the same machine.

${machineLines(machine)}

${tables}
`
      console.log(
        `Written to ${writeResults("phone", { machine, rounds, slow }, page).join(" and ")}`,
      )
    } finally {
      await Promise.all(programs.map((program) => program.stop()))
      rmSync(folder, { recursive: true })
    }
  },
}

function bodyOf(phone: string): string {
  return `${JSON.stringify({ phone_number: phone })}\n`
}

async function startServers(
  folder: string,
  bodiesFile: string,
  start: typeof startProgram,
): Promise<Readonly<Record<Name, Server>>> {
  const service = async (decisions: "on" | "off"): Promise<Server> => {
    const { pid, ready } = await start(
      SERVICE,
      { ASSAY_DATA: join(folder, decisions), ASSAY_DECISIONS: decisions, PORT: "0" },
      READY,
    )
    const target = { port: Number(ready[1]), apiKey: ready[2] as string, path: PATH, bodiesFile }
    return { pid, target }
  }
  const [on, off] = [await service("on"), await service("off")]
  // The service's own answer for a number it knows nothing about: the most common answer.
  const phone = await answerTo(on.target, "+4917012345678")
  const { pid, ready } = await start(
    [join("bench", "http", "constant-fastify.ts")],
    { [ANSWERS]: JSON.stringify({ email: {}, phone }), [WORKERS]: "1" },
    /listening on (\d+)\n/,
  )
  const bare = { pid, target: { ...on.target, port: Number(ready[1]) } }
  return { bare, on, off }
}

async function measured(
  servers: Readonly<Record<Name, Server>>,
  seconds: number,
  count: number,
): Promise<readonly Round[]> {
  const wrk = findWrk(process.env)
  const load = { connections: CONNECTIONS, seconds }
  console.log("Warming up …")
  for (const name of NAMES) {
    for (let answered = 0; answered < WARM_UP_REQUESTS;)
      answered += (await peakLoad(wrk, servers[name].target, { ...load, seconds: 2 })).requests
  }
  const rounds: Round[] = []
  for (let round = 0; round < count; round++) {
    console.log(`Round ${round + 1} of ${count} …`)
    const figures: [Name, LoadMeasurement][] = []
    // Each round begins with another name, so that none is always measured right after the same
    // neighbour.
    for (let n = 0; n < NAMES.length; n++) {
      const name = NAMES[(round + n) % NAMES.length] as Name
      const { pid, target } = servers[name]
      figures.push([name, await underLoad(pid, () => peakLoad(wrk, target, load))])
    }
    rounds.push(Object.fromEntries(figures) as Round)
  }
  return rounds
}

/** The route at a constant rate, with a carrier that answers after five seconds and with none. */
interface Slow {
  readonly alone: LoadMeasurement
  readonly slow: LoadMeasurement
  /** Questions that reached the carrier meanwhile. */
  readonly asked: number
}

async function withSlowCarrier(
  folder: string,
  seconds: number,
  start: typeof startProgram,
): Promise<Slow> {
  const carrier: SlowCarrier = await startSlowCarrier(folder)
  try {
    const data = join(folder, "slow")
    const { pid, ready } = await start(
      SERVICE,
      { ASSAY_DATA: data, ASSAY_PROVIDERS: carrier.settingsFile, PORT: "0" },
      READY,
    )
    const bodiesFile = join(folder, "carrier.ndjson")
    writeFileSync(bodiesFile, carrier.numbers.map(bodyOf).join(""))
    const target = { port: Number(ready[1]), apiKey: ready[2] as string, path: PATH, bodiesFile }
    const load = { connections: CONNECTIONS, seconds: seconds * 5 }
    const alone = await underLoad(pid, () => pacedLoad(target, load, RATE))
    await carrier.switchOn(data)
    const before = carrier.asked()
    const slow = await underLoad(pid, () => pacedLoad(target, load, RATE))
    const { risk_reasons: reasons } = await answerTo(target, carrier.numbers[0] as string)
    if (!(reasons as string[]).some((reason) => /SIM history was not available/.test(reason)))
      throw new BenchError("an answer did not say that SIM history was not available")
    const asked = carrier.asked() - before
    if (asked === 0) throw new BenchError("the carrier was never asked")
    return { alone, slow, asked }
  } finally {
    await carrier.close()
  }
}

async function answerTo(
  { port, path, apiKey }: LoadTarget,
  phone: string,
): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: bodyOf(phone),
  })
  if (response.status !== 200) throw new BenchError(`a number was answered with ${response.status}`)
  return (await response.json()) as Record<string, unknown>
}

const WANTED = 0.6

function tablesOf(rounds: readonly Round[], { alone, slow, asked }: Slow): string {
  const figure = (name: Name, read: (load: LoadMeasurement) => number): number =>
    median(rounds.map((round) => read(round[name])))
  const ratio = (name: Name): number =>
    median(rounds.map((round) => round[name].requestsPerSecond / round.bare.requestsPerSecond))
  const rows = NAMES.map((name) => [
    LABELS[name],
    Math.round(figure(name, ({ requestsPerSecond }) => requestsPerSecond)),
    ratio(name).toFixed(2),
    figure(name, ({ p50Ms }) => p50Ms).toFixed(1),
    figure(name, ({ p99Ms }) => p99Ms).toFixed(1),
    Math.round(figure(name, ({ cpuMicrosPerRequest }) => cpuMicrosPerRequest)),
  ])
  const paced = (label: string, { p50Ms, p95Ms, p99Ms }: LoadMeasurement) => [
    label,
    p50Ms.toFixed(1),
    p95Ms.toFixed(1),
    p99Ms.toFixed(1),
  ]
  return `${markdownTable(["server", "req/s", "× bare", "p50 ms", "p99 ms", "CPU µs"], rows)}

At ${RATE} requests a second, numbers of a carrier that answers after 5 s (it was asked ${asked} times):

${markdownTable(
  ["tenant", "p50 ms", "p95 ms", "p99 ms"],
  [paced("does not ask", alone), paced("asks the carrier", slow)],
)}

${markdownTable(
  ["target", "wanted", "measured", "met"],
  [
    [
      "phone route: requests/s over bare Fastify",
      `at least ${WANTED.toFixed(2)}`,
      ratio("on").toFixed(2),
      ratio("on") >= WANTED ? "yes" : "NO",
    ],
    [
      "p95 with a carrier that takes 5 s",
      `under ${SLOW_P95_MS} ms`,
      `${slow.p95Ms.toFixed(1)} ms`,
      slow.p95Ms < SLOW_P95_MS ? "yes" : "NO",
    ],
  ],
)}`
}
