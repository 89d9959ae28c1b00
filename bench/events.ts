import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { createClient } from "../packages/client/src/index.ts"
import { assayProgram } from "../scripts/program.ts"
import { markdownTable } from "../scripts/table.ts"
import { type Bench, BenchError } from "./bench.ts"
import { type RunningProgram, startProgram } from "./child-program.ts"
import { emailMix, seeded } from "./http/identity-mix.ts"
import { seedIndex } from "./http/known-identities.ts"
import { type LoadTarget, pacedLoad } from "./http/load.ts"
import { underLoad } from "./http/measure.ts"
import { machineFacts, machineLines } from "./machine.ts"
import { processTree, requireProcessFigures, threadMicros } from "./process-figures.ts"
import { writeResults } from "./results.ts"
import { median } from "./statistics.ts"

/** What the issue of events asks for. */
const AIM = 1.02
/** Requests a second of every load. */
const RATE = 500
const CONNECTIONS = 16
const ROUNDS_REPEATED_MAX = 20
/** Of a round that is not measured: the compiler has work until then. */
const WARM_SECONDS = 40
const REST_MS = 5_000
const RESTS = 5

type Given = Readonly<Record<"seconds" | "rounds", number>>
type Variant = "off" | "on"

type OfEach = Readonly<Record<Variant, readonly number[]>>

/** Microseconds of the processor: a request, and a second in which nothing is asked. */
interface Figures {
  readonly underLoad: OfEach
  readonly atRest: OfEach
}

interface Served {
  readonly program: RunningProgram
  readonly target: LoadTarget
}

export const eventsBench: Bench<keyof Given> = {
  name: "events",
  summary: "what a webhook and a reader of events cost a request while nobody is watched",
  options: {
    seconds: { fallback: 8, min: 1, max: 600, meaning: "seconds of each load" },
    rounds: { fallback: 9, min: 1, max: 100, meaning: "rounds of each to take the median of" },
  },
  async run(given) {
    requireProcessFigures()
    const machine = machineFacts()
    const figures = await measured(given)
    const table = tableOf(figures)
    console.log(`\n${table}\n`)
    const page = `# Events

Printed by \`npm run bench -- events\`: two services with one worker each answer ${RATE} requests a second of a mix of addresses, in turns. One
has events on: a webhook for changes of risk and for exposures, so that its thread looks for what is due, and a reader who waits
at \`GET /api/v1/events\`. Nobody is watched. The first row has the processor time of all processes of a service a request, and the
median of the ratios of neighbouring rounds with the least and the greatest: what the compiler makes of one process and of another
differs by more than what is looked for. Nothing is done for a request because of events, so that what they cost is what the service
does each second: the second row has that, measured at rest, and what it is of a request at this rate.

${machineLines(machine)}

${table}
`
    const files = writeResults("events", { machine, options: given, figures }, page)
    console.log(`Written to ${files.join(" and ")}`)
  },
}

async function measured({ seconds, rounds }: Given): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "assay-bench-events-"))
  const bodiesFile = join(folder, "emails.ndjson")
  const bodies = emailMix().map(({ email }) => `${JSON.stringify({ email })}\n`)
  writeFileSync(bodiesFile, bodies.join(""))
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(204).end())
  })
  const started: RunningProgram[] = []
  const leaving = new AbortController()
  let reader: Reader | null = null
  try {
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
    const serve = async (name: Variant): Promise<Served> => {
      const served = await start(join(folder, name), bodiesFile)
      started.push(served.program)
      return served
    }
    const services = { off: await serve("off"), on: await serve("on") }
    reader = await turnOn(services.on, (receiver.address() as AddressInfo).port, leaving.signal)
    const micros: Record<Variant, number[]> = { off: [], on: [] }
    const round = async (variant: Variant, length: number): Promise<number> => {
      const { program, target } = services[variant]
      const load = { connections: CONNECTIONS, seconds: length }
      const { threadMicrosPerRequest } = await wholeRound(() =>
        underLoad(program.pid, () => pacedLoad(target, load, RATE)),
      )
      // By the exact count: what is looked for is less than a tick of the kernel's clock.
      return sum(Object.values(threadMicrosPerRequest))
    }
    for (const variant of ["off", "on"] as const) await round(variant, WARM_SECONDS)
    for (let n = 0; n < rounds; n++)
      // Each is first as often as the other.
      for (const variant of n % 2 === 0 ? (["off", "on"] as const) : (["on", "off"] as const)) {
        const figure = await round(variant, seconds)
        micros[variant].push(figure)
        console.log(`events ${variant}: ${figure.toFixed(1)} µs`)
      }
    const atRest: Record<Variant, number[]> = { off: [], on: [] }
    for (let n = 0; n < RESTS; n++)
      for (const variant of ["off", "on"] as const)
        atRest[variant].push(await resting(services[variant].program))
    return { underLoad: micros, atRest }
  } finally {
    leaving.abort()
    await reader?.gone
    await Promise.all(started.map((program) => program.stop()))
    receiver.closeAllConnections()
    receiver.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function start(data: string, bodiesFile: string): Promise<Served> {
  const secret = `${data}.secret`
  await seedIndex(join(data, "index"), secret, emailMix(), seeded(1))
  const program = await startProgram(
    [...assayProgram(), "serve"],
    {
      ASSAY_DATA: data,
      ASSAY_SECRET_FILE: secret,
      ASSAY_WORKERS: "1",
      PORT: "0",
      DROP: "off",
      // Other programs of the machine may keep a loop waiting, and none of this is about shedding.
      ASSAY_SHED_DELAY_MS: "10000",
    },
    /http:\/\/localhost:(\d+)\/docs\n.*API key +(ask_demo_\w+)\n/,
  )
  const [, port = "", apiKey = ""] = program.ready
  const target = { port: Number(port), apiKey, path: "/api/v1/risk/score", bodiesFile }
  return { program, target }
}

interface Reader {
  readonly gone: Promise<void>
}

/** Makes a webhook, and a reader who waits for events until the signal comes. */
async function turnOn(
  { target: { port, apiKey } }: Served,
  receiver: number,
  signal: AbortSignal,
): Promise<Reader> {
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey, timeoutMs: 30_000 })
  const types = ["risk.email.changed", "risk.phone.changed", "exposure.added"] as const
  await client.webhooks.create({ url: `http://127.0.0.1:${receiver}/`, events: [...types] })
  const read = async (): Promise<void> => {
    try {
      for await (const { type } of client.events({ types, signal }))
        console.log(`An event of the type ${type} happened, although nobody is watched`)
    } catch (error) {
      if (!signal.aborted) console.log(`The reader of events left: ${String(error)}`)
    }
  }
  return { gone: read() }
}

/** Runs a round again in which requests were refused, as on machines that stand still at times. */
async function wholeRound<T>(round: () => Promise<T>): Promise<T> {
  for (let repeated = 0; ; repeated++) {
    try {
      return await round()
    } catch (error) {
      if (!(error instanceof BenchError) || repeated === ROUNDS_REPEATED_MAX) throw error
      console.log(`A round is repeated: ${error.message}`)
      await delay(1_000)
    }
  }
}

/** Of a second in which nothing is asked. */
async function resting({ pid }: RunningProgram): Promise<number> {
  const used = (): number => sum([...threadMicros(processTree(pid)).values()])
  const before = used()
  const startedAt = performance.now()
  await delay(REST_MS)
  return (used() - before) / ((performance.now() - startedAt) / 1000)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function tableOf({ underLoad: loaded, atRest }: Figures): string {
  const [off, on] = [median(loaded.off), median(loaded.on)]
  const [restOff, restOn] = [median(atRest.off), median(atRest.on)]
  const ratios = loaded.on.map((micros, n) => micros / (loaded.off[n] ?? micros))
  const between = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2))
  const ofRest = 1 + (restOn - restOff) / RATE / off
  return markdownTable(
    ["processor time", "off", "on", "on ÷ off", "aim", "met"],
    [
      [
        "of a request, µs",
        ...[off.toFixed(1), on.toFixed(1)],
        `${median(ratios).toFixed(3)} (${between.join(" to ")})`,
        ...["", ""],
      ],
      [
        "of a second at rest, µs; its part of a request",
        ...[restOff.toFixed(1), restOn.toFixed(1), ofRest.toFixed(3)],
        ...[`under ${AIM}`, ofRest < AIM ? "yes" : "NO"],
      ],
    ],
  )
}
