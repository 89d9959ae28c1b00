import { markdownTable } from "../../scripts/table.ts"
import type { MachineFacts } from "../machine.ts"
import { machineLines } from "../machine.ts"
import { median } from "../statistics.ts"
import { MIX } from "./identity-mix.ts"
import type { LoadOptions } from "./load.ts"
import type { Measurement } from "./measure.ts"

import { type VariantName, VARIANTS } from "./servers.ts"

/** The measurements of one round, by variant. */
export type Round = Readonly<Record<VariantName, Measurement>>

export interface Target {
  readonly target: string
  readonly wanted: string
  readonly measured: string
  readonly met: boolean
}

const LABELS: Readonly<Record<VariantName, string>> = {
  "node-http": "node:http, constant bytes",
  "fastify-email": "Fastify, e-mail schemas, constant body",
  "fastify-email-2": "the same, 2 processes",
  "fastify-phone": "Fastify, phone schemas, constant body",
  "email-1": "score e-mail, 1 worker",
  "email-2": "score e-mail, 2 workers",
  "phone-1": "score phone, 1 worker",
  "phone-2": "score phone, 2 workers",
}

/** The bare route with the same schemas that a variant is compared with. */
const bareOf = (name: VariantName): VariantName =>
  name.includes("phone") ? "fastify-phone" : "fastify-email"

/**
 * Every figure as the median of the rounds, and every ratio as the median of the rounds' own
 * ratios.
 */
export function medians(rounds: readonly Round[]): Readonly<Record<VariantName, Summary>> {
  return Object.fromEntries(VARIANTS.map((name) => [name, summary(rounds, name)])) as Record<
    VariantName,
    Summary
  >
}

export interface Summary {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuMicrosPerRequest: number
  readonly halfRequestsPerSecond: number
  readonly halfP50Ms: number
  readonly halfP99Ms: number
  readonly halfCpuMicrosPerRequest: number
  readonly toBare: {
    readonly requestsPerSecond: number
    readonly p50: number
    readonly p99: number
    readonly cpu: number
  }
  readonly anonymousMegabytes: readonly number[]
}

function summary(rounds: readonly Round[], name: VariantName): Summary {
  const bare = bareOf(name)
  const figure = (read: (measurement: Measurement) => number): number =>
    median(rounds.map((round) => read(round[name])))
  const ratio = (read: (measurement: Measurement) => number): number =>
    median(rounds.map((round) => read(round[name]) / read(round[bare])))
  const processes = rounds[0]?.[name].anonymousBytes ?? []
  return {
    requestsPerSecond: figure(({ peak }) => peak.requestsPerSecond),
    p50Ms: figure(({ peak }) => peak.p50Ms),
    p99Ms: figure(({ peak }) => peak.p99Ms),
    cpuMicrosPerRequest: figure(({ peak }) => peak.cpuMicrosPerRequest),
    halfRequestsPerSecond: figure(({ half }) => half.requestsPerSecond),
    halfP50Ms: figure(({ half }) => half.p50Ms),
    halfP99Ms: figure(({ half }) => half.p99Ms),
    halfCpuMicrosPerRequest: figure(({ half }) => half.cpuMicrosPerRequest),
    toBare: {
      requestsPerSecond: ratio(({ peak }) => peak.requestsPerSecond),
      p50: ratio(({ peak }) => peak.p50Ms),
      p99: ratio(({ peak }) => peak.p99Ms),
      cpu: ratio(({ peak }) => peak.cpuMicrosPerRequest),
    },
    // The most a process ever held, since memory only matters where it runs out.
    anonymousMegabytes: processes.map((_, process) =>
      Math.max(...rounds.map((round) => (round[name].anonymousBytes[process] ?? 0) / 1e6)),
    ),
  }
}

/** What disturbed the machine during the loads, in cores: the median load and the worst. */
export interface Disturbance {
  readonly median: number
  readonly worst: number
}

export function disturbances(
  rounds: readonly Round[],
): Readonly<Record<"others" | "host", Disturbance>> {
  const loads = rounds.flatMap((round) =>
    VARIANTS.flatMap((name) => [round[name].peak, round[name].half]),
  )
  const of = (cores: readonly number[]): Disturbance => ({
    median: median(cores),
    worst: Math.max(...cores),
  })
  return {
    others: of(loads.map(({ othersCores }) => othersCores)),
    host: of(loads.map(({ stolenCores }) => stolenCores)),
  }
}

/**
 * How far the peak of the bare route moved between rounds: nothing in it changed, so this is the
 * machine.
 */
export function bareSpread(rounds: readonly Round[]): number {
  const peaks = rounds.map((round) => round["fastify-email"].peak.requestsPerSecond)
  return Math.max(...peaks) / Math.min(...peaks)
}

function quietness(rounds: readonly Round[]): string {
  const { others, host } = disturbances(rounds)
  const cores = ({ median, worst }: Disturbance): string =>
    `${median.toFixed(2)} cores (worst load ${worst.toFixed(2)})`
  return `Other programs used ${cores(others)}; the host of a virtual machine withheld ${cores(host)}.
Between rounds the bare route's own requests/s moved by a factor of ${bareSpread(rounds).toFixed(2)}, though nothing in it changed:
differences smaller than that may be the machine, and latencies include whatever disturbed it.`
}

/** The targets that the design sets for this bench, beside the measured values. */
export function targets(rounds: readonly Round[]): readonly Target[] {
  const figures = medians(rounds)
  const email = figures["email-1"]
  const secondWorker = (one: VariantName, two: VariantName): number =>
    median(
      rounds.map(
        (round) => round[two].peak.cpuMicrosPerRequest / round[one].peak.cpuMicrosPerRequest,
      ),
    )
  const bareWorkers = secondWorker("fastify-email", "fastify-email-2")
  const emailWorkers = secondWorker("email-1", "email-2")
  const phoneWorkers = secondWorker("phone-1", "phone-2")
  const services = VARIANTS.filter((name) => !name.startsWith("fastify") && name !== "node-http")
  const halfP99 = Math.max(...services.map((name) => figures[name].halfP99Ms))
  // The first process starts the others and answers no requests.
  const memory = Math.max(...services.flatMap((name) => figures[name].anonymousMegabytes.slice(1)))
  return [
    {
      target: "e-mail route, 1 worker: requests/s over bare Fastify",
      wanted: "at least 0.75",
      measured: email.toBare.requestsPerSecond.toFixed(2),
      met: email.toBare.requestsPerSecond >= 0.75,
    },
    {
      target: "e-mail route: CPU per request, 2 workers over 1",
      wanted: "at most 1.20",
      measured: `${emailWorkers.toFixed(2)} (bare Fastify ${bareWorkers.toFixed(2)})`,
      met: emailWorkers <= 1.2,
    },
    {
      target: "phone route: CPU per request, 2 workers over 1",
      wanted: "at most 1.20",
      measured: `${phoneWorkers.toFixed(2)} (bare Fastify ${bareWorkers.toFixed(2)})`,
      met: phoneWorkers <= 1.2,
    },
    {
      target: "scoring routes: p99 at half of peak, the worst of them",
      wanted: "under 20 ms",
      measured: `${halfP99.toFixed(1)} ms (bare Fastify ${figures["fastify-email"].halfP99Ms.toFixed(1)} ms)`,
      met: halfP99 < 20,
    },
    {
      target: "anonymous memory of a worker, the largest",
      wanted: "under 200 MB",
      measured: `${memory.toFixed(0)} MB`,
      met: memory < 200,
    },
  ]
}

export interface Report {
  readonly machine: MachineFacts
  readonly generator: string
  readonly options: LoadOptions & { readonly rounds: number }
  readonly rounds: readonly Round[]
}

/** The tables, as they are printed and kept. */
export function tables({ rounds }: Pick<Report, "rounds">): string {
  const figures = medians(rounds)
  const peak = VARIANTS.map((name) => {
    const { requestsPerSecond, p50Ms, p99Ms, cpuMicrosPerRequest, toBare } = figures[name]
    return [
      LABELS[name],
      Math.round(requestsPerSecond),
      toBare.requestsPerSecond.toFixed(2),
      p50Ms.toFixed(1),
      toBare.p50.toFixed(2),
      p99Ms.toFixed(1),
      toBare.p99.toFixed(2),
      Math.round(cpuMicrosPerRequest),
      toBare.cpu.toFixed(2),
    ]
  })
  const rest = VARIANTS.map((name) => {
    const summary = figures[name]
    return [
      LABELS[name],
      Math.round(summary.halfRequestsPerSecond),
      summary.halfP50Ms.toFixed(1),
      summary.halfP99Ms.toFixed(1),
      Math.round(summary.halfCpuMicrosPerRequest),
      summary.anonymousMegabytes.map((megabytes) => megabytes.toFixed(0)).join(" + "),
    ]
  })
  const goals = targets(rounds).map(({ target, wanted, measured, met }) => [
    target,
    wanted,
    measured,
    met ? "yes" : "NO",
  ])
  const ratio = "× bare"
  return `At peak (CPU: all processes of the server, µs a request):

${markdownTable(
  ["server", "req/s", ratio, "p50 ms", ratio, "p99 ms", ratio, "CPU µs", ratio],
  peak,
)}

At half of peak, at a constant rate; anonymous memory of each process, the first of several is the primary:

${markdownTable(["server", "req/s", "p50 ms", "p99 ms", "CPU µs", "memory MB"], rest)}

${markdownTable(["target", "wanted", "measured", "met"], goals)}

${quietness(rounds)}`
}

export function page(report: Report): string {
  const { machine, generator, options } = report
  const { rounds, seconds, connections } = options
  return `# HTTP

Printed by \`npm run bench -- http\`. Every figure is the median of ${rounds} rounds of ${seconds} s; every ratio is taken
within a round, against a bare Fastify route with the same schemas, before the median. The generator runs on the same
machine, so requests/s of two workers say little on two cores: CPU per request does.

${machineLines(machine)}
- ${connections} connections; at peak ${generator}; at half of peak our own generator, timed from when a request was due
- Identities: ${MIX}

${tables(report)}
`
}
