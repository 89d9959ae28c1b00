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
import { requireProcessFigures } from "./process-figures.ts"
import { writeResults } from "./results.ts"
import { median } from "./statistics.ts"

/** What the issue of events asks for. */
const AIM = 1.02
/** Requests a second of every load. */
const RATE = 500
const CONNECTIONS = 16
const ROUNDS_REPEATED_MAX = 20
/** Of a round that is not measured: the compiler has work until then. */
const WARM_SECONDS = 10

type Given = Readonly<Record<"seconds" | "rounds", number>>
type Variant = "off" | "on"

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
    const micros = await measured(given)
    const table = tableOf(micros)
    console.log(`\n${table}\n`)
    const page = `# Events

Printed by \`npm run bench -- events\`: two services with one worker each answer ${RATE} requests a second of a mix of addresses, in turns. One
has events on: a webhook for changes of risk and for exposures, so that its thread looks for what is due, and a reader who waits
at \`GET /api/v1/events\`. Nobody is watched. The figure is the processor time of all processes of a service a request; the
ratio is of each round with the one before it.

${machineLines(machine)}

${table}
`
    const files = writeResults("events", { machine, options: given, micros }, page)
    console.log(`Written to ${files.join(" and ")}`)
  },
}

async function measured({ seconds, rounds }: Given): Promise<Record<Variant, number[]>> {
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
      const { cpuMicrosPerRequest } = await wholeRound(() =>
        underLoad(program.pid, () => pacedLoad(target, load, RATE)),
      )
      return cpuMicrosPerRequest
    }
    for (const variant of ["off", "on"] as const) await round(variant, WARM_SECONDS)
    for (let n = 0; n < rounds; n++)
      // Each is first as often as the other.
      for (const variant of n % 2 === 0 ? (["off", "on"] as const) : (["on", "off"] as const)) {
        const figure = await round(variant, seconds)
        micros[variant].push(figure)
        console.log(`events ${variant}: ${figure.toFixed(1)} µs`)
      }
    return micros
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
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey })
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

function tableOf({ off, on }: Readonly<Record<Variant, readonly number[]>>): string {
  const ratio = median(on.map((figure, n) => figure / (off[n] ?? figure)))
  return markdownTable(
    ["events", "µs a request, off", "on", "on ÷ off", "aim", "met"],
    [
      [
        "nobody watched",
        median(off).toFixed(1),
        median(on).toFixed(1),
        ratio.toFixed(3),
        `under ${AIM}`,
        ratio < AIM ? "yes" : "NO",
      ],
    ],
  )
}
