import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { startTestServer } from "../packages/stores/testing/postgres/test-server.ts"
import { sessionHeaders, signedInOwner } from "../tests/http/accounts.ts"
import { assayProgram } from "../scripts/program.ts"
import { markdownTable } from "../scripts/table.ts"
import { type Bench, BenchError } from "./bench.ts"
import { startProgram } from "./child-program.ts"
import { emailMix, phoneMix, seeded } from "./http/identity-mix.ts"
import { seedIndex } from "./http/known-identities.ts"
import { findWrk, type LoadTarget, pacedLoad, peakLoad } from "./http/load.ts"
import { underLoad } from "./http/measure.ts"
import { machineFacts, machineLines } from "./machine.ts"
import {
  anonymousBytes,
  childrenOf,
  processorMicros,
  requireProcessFigures,
} from "./process-figures.ts"
import { writeResults } from "./results.ts"
import { median } from "./statistics.ts"

/** What the issue of policies asks for. */
const SHADOW_AIM = 1.15
const BACK_TEST_AIM = 5_000
const P99_AIM = 2
/** Requests a second of the loads that are compared. */
const RATE = 500
const CONNECTIONS = 16
const ROUNDS_REPEATED_MAX = 20
/** A change of a tenant acts within this. */
const ACTS_MS = 6_000
const PROPOSAL = { prior_abuse: 0.1, costs: { loss: 40 } }

interface Service {
  readonly pid: number
  /** What the requests of an owner carry: no key may see to policies. */
  readonly owner: Readonly<Record<string, string>>
  readonly worker: number
  readonly emails: LoadTarget
  readonly phones: LoadTarget
}

interface BackTested {
  readonly engine: string
  readonly decisions: number
  readonly changed: number
  readonly perSecond: number
  /** Decisions a second of processor time of the worker, in which it runs. */
  readonly perCore: number
  readonly grownBytes: number
  readonly alone: readonly number[]
  readonly beside: readonly number[]
}

interface Shadowed {
  readonly kind: string
  readonly off: readonly number[]
  readonly on: readonly number[]
}

export const policyBench: Bench<"seconds" | "rounds" | "decisions"> = {
  name: "policy",
  summary: "what a shadow costs a request, back-tests on both engines, and scoring beside them",
  options: {
    seconds: { fallback: 5, min: 1, max: 600, meaning: "seconds of each load" },
    rounds: { fallback: 3, min: 1, max: 100, meaning: "rounds to take the median of" },
    decisions: {
      fallback: 100_000,
      min: 1_000,
      max: 10_000_000,
      meaning: "decisions that a back-test runs over, at least",
    },
  },
  async run(given) {
    requireProcessFigures()
    const machine = machineFacts()
    const shadowed: Shadowed[] = []
    const backTests: BackTested[] = []
    await onService({}, async (service) => {
      await fill(service, given.decisions)
      for (const kind of ["email", "phone"] as const)
        shadowed.push(await measureShadow(service, kind, given))
      backTests.push(await measureBackTest("SQLite", service, given))
    })
    const server = await startTestServer().catch((error: unknown) => {
      console.log(`Without PostgreSQL: ${String(error)}`)
      return null
    })
    if (server !== null) {
      try {
        await onService({ DATABASE_URL: await server.createDatabase() }, async (service) => {
          await fill(service, given.decisions)
          backTests.push(await measureBackTest("PostgreSQL", service, given))
        })
      } finally {
        await server.stop()
      }
    }
    const tables = tablesOf(shadowed, backTests)
    console.log(`\n${tables}\n`)
    const page = `# Policies

Printed by \`npm run bench -- policy\`: a service with one worker answers ${RATE} requests a second of a mix of identities. The first
table has the processor time of all its processes a request, with a shadow of another policy and without one, in turns. The second
has a back-test over HTTP of that load's own decisions, while nothing else is asked, and the 99th percentile of the same load
alone and beside back-tests that follow one another.

${machineLines(machine)}

${tables}
`
    const figures = { machine, options: given, shadowed, backTests }
    console.log(`Written to ${writeResults("policy", figures, page).join(" and ")}`)
  },
}

async function onService(
  env: Readonly<Record<string, string>>,
  work: (service: Service) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "assay-bench-"))
  const file = (name: string, bodies: readonly object[]): string => {
    writeFileSync(join(folder, name), bodies.map((body) => `${JSON.stringify(body)}\n`).join(""))
    return join(folder, name)
  }
  const data = join(folder, "data")
  const secret = join(folder, "secret")
  await seedIndex(join(data, "index"), secret, emailMix(), seeded(1))
  const program = await startProgram(
    [...assayProgram(), "serve"],
    {
      ASSAY_DATA: data,
      ASSAY_SECRET_FILE: secret,
      ASSAY_WORKERS: "1",
      PORT: "0",
      DROP: "off",
      ...env,
    },
    /http:\/\/localhost:(\d+)\/docs\n.*API key +(ask_demo_\w+)\n/,
  )
  const at = { port: Number(program.ready[1]), apiKey: program.ready[2] as string }
  const [worker] = childrenOf(program.pid)
  try {
    if (worker === undefined) throw new BenchError("the service has no worker")
    const place = {
      baseUrl: `http://127.0.0.1:${at.port}`,
      port: at.port,
      dataDirectory: data,
      env: { ASSAY_SECRET_FILE: secret, ...env },
    }
    const session = await signedInOwner(place, "demo")
    await work({
      pid: program.pid,
      owner: sessionHeaders(at, session),
      worker,
      emails: {
        ...at,
        path: "/api/v1/risk/score",
        bodiesFile: file(
          "emails.ndjson",
          emailMix().map(({ email }) => ({ email })),
        ),
      },
      phones: {
        ...at,
        path: "/api/v1/phone-risk",
        bodiesFile: file(
          "phones.ndjson",
          phoneMix().map((phone_number) => ({ phone_number })),
        ),
      },
    })
  } finally {
    await program.stop()
    rmSync(folder, { recursive: true })
  }
}

/** Asks until enough is recorded, which also lets the compiler finish. */
async function fill({ emails, phones }: Service, decisions: number): Promise<void> {
  console.log(`${decisions.toLocaleString("en")} decisions first …`)
  const wrk = findWrk(process.env)
  for (let made = 0; made < decisions;)
    for (const target of [emails, phones])
      made += (
        await wholeRound(() => peakLoad(wrk, target, { connections: CONNECTIONS, seconds: 2 }))
      ).requests
}

function policyUrl({ emails: { port } }: Service, path: string): string {
  return `http://127.0.0.1:${port}/api/v1/policy${path}`
}

async function asked(
  service: Service,
  method: string,
  path: string,
  json?: object,
  signal: AbortSignal | null = null,
): Promise<Response> {
  const response = await fetch(policyUrl(service, path), {
    method,
    signal,
    headers: {
      ...service.owner,
      ...(json !== undefined && { "content-type": "application/json" }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })
  if (!response.ok) throw new BenchError(`${method} ${path} was answered ${response.status}`)
  return response
}

async function measureShadow(
  service: Service,
  kind: "email" | "phone",
  { seconds, rounds }: Readonly<Record<"seconds" | "rounds", number>>,
): Promise<Shadowed> {
  const target = kind === "email" ? service.emails : service.phones
  const shadowed = { kind, off: [] as number[], on: [] as number[] }
  for (let round = 0; round < 2 * rounds; round++) {
    const on = round % 2 === 1
    if (on) await asked(service, "PUT", "/shadow", PROPOSAL)
    else await asked(service, "DELETE", "/shadow")
    await delay(ACTS_MS)
    const load = { connections: CONNECTIONS, seconds }
    const { cpuMicrosPerRequest } = await wholeRound(() =>
      underLoad(service.pid, () => pacedLoad(target, load, RATE)),
    )
    shadowed[on ? "on" : "off"].push(cpuMicrosPerRequest)
    console.log(`${kind}, shadow ${on ? "on" : "off"}: ${cpuMicrosPerRequest.toFixed(1)} µs`)
  }
  await asked(service, "DELETE", "/shadow")
  return shadowed
}

/**
 * Runs a round again in which requests were refused: a service refuses some when the machine stood
 * still for longer than it may, as shared ones do. Each is printed.
 */
async function wholeRound<T>(round: () => Promise<T>): Promise<T> {
  for (let repeated = 0; ; repeated++) {
    try {
      return await round()
    } catch (error) {
      if (!(error instanceof BenchError) || repeated === ROUNDS_REPEATED_MAX) throw error
      console.log(`A round is repeated: ${error.message}`)
    }
  }
}

interface Summary {
  readonly decisions: number
  readonly changed: number
}

async function backTest(service: Service, signal?: AbortSignal): Promise<Summary> {
  const response = await asked(service, "POST", "/backtest", { policy: PROPOSAL }, signal)
  let rest = ""
  const decoder = new TextDecoder()
  // Read as it comes, and only the last line kept.
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>)
    rest = (rest + decoder.decode(piece, { stream: true })).split("\n").slice(-2).join("\n")
  const last = JSON.parse(rest.trim().split("\n").at(-1) ?? "") as Summary & { type: string }
  if (last.type !== "summary") throw new BenchError("a back-test did not come to its end")
  return last
}

async function measureBackTest(
  engine: string,
  service: Service,
  { seconds, rounds }: Readonly<Record<"seconds" | "rounds", number>>,
): Promise<BackTested> {
  const { worker, emails } = service
  await backTest(service)
  const before = anonymousBytes(worker)
  let peak = before
  const watching = setInterval(() => (peak = Math.max(peak, anonymousBytes(worker))), 50)
  const usedBefore = processorMicros(worker)
  const startedAt = performance.now()
  const { decisions, changed } = await backTest(service)
  const elapsed = (performance.now() - startedAt) / 1000
  const used = (processorMicros(worker) - usedBefore) / 1_000_000
  clearInterval(watching)
  console.log(`${engine}: ${decisions.toLocaleString("en")} decisions in ${elapsed.toFixed(1)} s`)
  const [alone, beside]: [number[], number[]] = [[], []]
  const load = { connections: CONNECTIONS, seconds }
  for (let round = 0; round < rounds; round++) {
    alone.push((await wholeRound(() => pacedLoad(emails, load, RATE))).p99Ms)
    const ending = new AbortController()
    const running = (async () => {
      while (!ending.signal.aborted) {
        await backTest(service, ending.signal).catch(async (error: unknown) => {
          // The last one is not waited for, and the service learns a moment later that it is over.
          if (ending.signal.aborted) return
          if (!(error instanceof BenchError && error.message.endsWith(" 429"))) throw error
          await delay(50)
        })
      }
    })()
    beside.push((await wholeRound(() => pacedLoad(emails, load, RATE))).p99Ms)
    ending.abort()
    await running
    console.log(`${engine}: p99 ${alone.at(-1)} ms alone, ${beside.at(-1)} ms beside a back-test`)
  }
  return {
    engine,
    decisions,
    changed,
    perSecond: decisions / elapsed,
    perCore: decisions / used,
    grownBytes: peak - before,
    alone,
    beside,
  }
}

function tablesOf(shadowed: readonly Shadowed[], backTests: readonly BackTested[]): string {
  const shadows = markdownTable(
    ["shadow", "µs a request, off", "on", "on ÷ off", "aim", "met"],
    shadowed.map(({ kind, off, on }) => {
      const ratio = median(on) / median(off)
      return [
        kind,
        median(off).toFixed(1),
        median(on).toFixed(1),
        ratio.toFixed(3),
        `under ${SHADOW_AIM}`,
        ratio < SHADOW_AIM ? "yes" : "NO",
      ]
    }),
  )
  const tests = markdownTable(
    [
      "back-test",
      "decisions",
      "changed",
      "a second",
      "a second of a core",
      "aim",
      "met",
      "memory it adds, MB",
      "p99 ms alone",
      "beside",
      "beside ÷ alone",
      "aim",
      "met",
    ],
    backTests.map((each) => {
      const [alone, beside] = [median(each.alone), median(each.beside)]
      return [
        each.engine,
        each.decisions.toLocaleString("en"),
        each.changed.toLocaleString("en"),
        Math.round(each.perSecond).toLocaleString("en"),
        Math.round(each.perCore).toLocaleString("en"),
        BACK_TEST_AIM.toLocaleString("en"),
        each.perCore >= BACK_TEST_AIM ? "yes" : "NO",
        (each.grownBytes / 1e6).toFixed(0),
        alone.toFixed(2),
        beside.toFixed(2),
        (beside / alone).toFixed(2),
        `at most ${P99_AIM}`,
        beside / alone <= P99_AIM ? "yes" : "NO",
      ]
    }),
  )
  return `${shadows}\n\n${tests}`
}
