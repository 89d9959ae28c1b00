import { markdownTable } from "../../scripts/table.ts"
import type { MachineFacts } from "../machine.ts"
import { machineLines } from "../machine.ts"
import { median } from "../statistics.ts"
import { MIX } from "./identity-mix.ts"
import type { LoadOptions } from "./load.ts"
import { type Measurement, type Rate, RATES } from "./measure.ts"
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
  /** Of the best round: what the code can do where nothing disturbs it. */
  readonly best: { readonly requestsPerSecond: number; readonly cpuMicrosPerRequest: number }
  readonly threadMicrosPerRequest: Readonly<Record<string, number>>
  /** null where the server does not keep the rate. */
  readonly paced: Readonly<Record<Rate, PacedSummary | null>>
  readonly toBare: {
    readonly requestsPerSecond: number
    readonly p50: number
    readonly p99: number
    readonly cpu: number
  }
  readonly anonymousMegabytes: readonly number[]
}

interface PacedSummary {
  readonly p99Ms: number
  readonly bestP99Ms: number
  readonly cpuMicrosPerRequest: number
  /** null where the bare route does not keep the rate. */
  readonly p99ToBare: number | null
}

function summary(rounds: readonly Round[], name: VariantName): Summary {
  const bare = bareOf(name)
  const all = (read: (measurement: Measurement) => number): number[] =>
    rounds.map((round) => read(round[name]))
  const figure = (read: (measurement: Measurement) => number): number => median(all(read))
  const ratio = (read: (measurement: Measurement) => number): number =>
    median(rounds.map((round) => read(round[name]) / read(round[bare])))
  const processes = rounds[0]?.[name].anonymousBytes ?? []
  const threads = new Set(
    rounds.flatMap((round) => Object.keys(round[name].peak.threadMicrosPerRequest)),
  )
  return {
    requestsPerSecond: figure(({ peak }) => peak.requestsPerSecond),
    p50Ms: figure(({ peak }) => peak.p50Ms),
    p99Ms: figure(({ peak }) => peak.p99Ms),
    cpuMicrosPerRequest: figure(({ peak }) => peak.cpuMicrosPerRequest),
    best: {
      requestsPerSecond: Math.max(...all(({ peak }) => peak.requestsPerSecond)),
      cpuMicrosPerRequest: Math.min(...all(({ peak }) => peak.cpuMicrosPerRequest)),
    },
    threadMicrosPerRequest: Object.fromEntries(
      [...threads].map((thread) => [
        thread,
        figure(({ peak }) => peak.threadMicrosPerRequest[thread] ?? 0),
      ]),
    ),
    paced: Object.fromEntries(
      RATES.map((rate) => [rate, pacedSummary(rounds, name, rate)]),
    ) as Summary["paced"],
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

function pacedSummary(
  rounds: readonly Round[],
  name: VariantName,
  rate: Rate,
): PacedSummary | null {
  const kept = rounds.flatMap((round) => {
    const own = round[name].paced[rate]
    return own === null ? [] : [{ own, bare: round[bareOf(name)].paced[rate] }]
  })
  if (kept.length === 0) return null
  const ratios = kept.flatMap(({ own, bare }) => (bare === null ? [] : [own.p99Ms / bare.p99Ms]))
  return {
    p99Ms: median(kept.map(({ own }) => own.p99Ms)),
    bestP99Ms: Math.min(...kept.map(({ own }) => own.p99Ms)),
    cpuMicrosPerRequest: median(kept.map(({ own }) => own.cpuMicrosPerRequest)),
    p99ToBare: ratios.length === 0 ? null : median(ratios),
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
    VARIANTS.flatMap((name) => [
      round[name].peak,
      ...Object.values(round[name].paced).filter((paced) => paced !== null),
    ]),
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
  const phone = figures["phone-1"]
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
  // The first process starts the others and answers no requests.
  const memory = Math.max(...services.flatMap((name) => figures[name].anonymousMegabytes.slice(1)))
  const atMost = (target: string, most: number, measured: number | null, more = ""): Target => ({
    target,
    wanted: `at most ${most.toFixed(2)}`,
    measured: measured === null ? "not measured" : measured.toFixed(2) + more,
    met: measured !== null && measured <= most,
  })
  const atLeast = (target: string, least: number, measured: number): Target => ({
    target,
    wanted: `at least ${least.toFixed(2)}`,
    measured: measured.toFixed(2),
    met: measured >= least,
  })
  const bareAlike = ` (bare Fastify ${bareWorkers.toFixed(2)})`
  return [
    atMost("e-mail, 1 worker: CPU a request over bare Fastify", 2.5, email.toBare.cpu),
    atLeast("e-mail, 1 worker: requests/s over bare Fastify", 0.5, email.toBare.requestsPerSecond),
    atMost("phone, 1 worker: CPU a request over bare Fastify", 2.1, phone.toBare.cpu),
    atLeast("phone, 1 worker: requests/s over bare Fastify", 0.55, phone.toBare.requestsPerSecond),
    atMost("e-mail: p99 at 2,000/s over bare Fastify's", 4, email.paced[2000]?.p99ToBare ?? null),
    atMost("phone: p99 at 2,000/s over bare Fastify's", 4, phone.paced[2000]?.p99ToBare ?? null),
    atMost("e-mail: CPU a request, 2 workers over 1", 1.15, emailWorkers, bareAlike),
    atMost("phone: CPU a request, 2 workers over 1", 1.15, phoneWorkers, bareAlike),
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
    const { requestsPerSecond, p50Ms, p99Ms, cpuMicrosPerRequest, best, toBare } = figures[name]
    return [
      LABELS[name],
      Math.round(requestsPerSecond),
      Math.round(best.requestsPerSecond),
      toBare.requestsPerSecond.toFixed(2),
      p50Ms.toFixed(1),
      p99Ms.toFixed(1),
      toBare.p99.toFixed(2),
      Math.round(cpuMicrosPerRequest),
      Math.round(best.cpuMicrosPerRequest),
      toBare.cpu.toFixed(2),
    ]
  })
  const threads = VARIANTS.map((name) => [
    LABELS[name],
    Object.entries(figures[name].threadMicrosPerRequest)
      .sort(([, a], [, b]) => b - a)
      .map(([thread, micros]) => `${thread} ${micros.toFixed(1)}`)
      .join(", "),
    figures[name].anonymousMegabytes.map((megabytes) => megabytes.toFixed(0)).join(" + "),
  ])
  const paced = VARIANTS.map((name) => [
    LABELS[name],
    ...RATES.flatMap((rate) => {
      const of = figures[name].paced[rate]
      if (of === null) return ["-", "-", "-"]
      return [of.p99Ms.toFixed(1), of.bestP99Ms.toFixed(1), of.p99ToBare?.toFixed(2) ?? "-"]
    }),
  ])
  const goals = targets(rounds).map(({ target, wanted, measured, met }) => [
    target,
    wanted,
    measured,
    met ? "yes" : "NO",
  ])
  const ratio = "× bare"
  return `At peak (CPU: all processes of the server, µs a request):

${markdownTable(
  ["server", "req/s", "best", ratio, "p50 ms", "p99 ms", ratio, "CPU µs", "best", ratio],
  peak,
)}

CPU µs a request by process and thread, at peak; anonymous memory of each process, the first of several is the primary:

${markdownTable(["server", "threads", "memory MB"], threads)}

p99 at constant rates, in ms; a dash where the server's peak is not well above the rate:

${markdownTable(
  ["server", ...RATES.flatMap((rate) => [`${rate.toLocaleString("en")}/s`, "best", ratio])],
  paced,
)}

${markdownTable(["target", "wanted", "measured", "met"], goals)}

${quietness(rounds)}`
}

export function page(report: Report): string {
  const { machine, generator, options } = report
  const { rounds, seconds, connections } = options
  return `# HTTP

Printed by \`npm run bench -- http\`. Every figure is the median of ${rounds} rounds of ${seconds} s; every ratio is taken
within a round, against a bare Fastify route with the same schemas, before the median. The generator runs on the same
machine, so requests/s of two workers say little on two cores: CPU per request does. \`best\` is the best of the rounds.

${machineLines(machine)}
- ${connections} connections; at peak ${generator}; at constant rates our own generator, timed from when a request was due
- Identities: ${MIX}

${tables(report)}
`
}
