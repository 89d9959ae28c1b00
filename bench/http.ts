import type { Bench } from "./bench.ts"
import { findWrk, type LoadOptions, peakLoad } from "./http/load.ts"
import { measure, type Measurement } from "./http/measure.ts"
import {
  bareSpread,
  disturbances,
  medians,
  page,
  type Report,
  type Round,
  tables,
  targets,
} from "./http/report.ts"
import { startServers, type Variant } from "./http/servers.ts"
import { machineFacts } from "./machine.ts"
import { requireProcessFigures } from "./process-figures.ts"
import { writeResults } from "./results.ts"

/**
 * The optimising compiler goes on improving a scoring route until a process has answered about
 * 50,000 requests.
 */
const WARM_UP_REQUESTS = 60_000
const WARM_UP_SLICE_SECONDS = 2
const WARM_UP_SLICES_MAX = 30

export const httpBench: Bench<"seconds" | "rounds" | "connections"> = {
  name: "http",
  summary: "scoring over HTTP beside a bare Fastify route and node:http",
  options: {
    seconds: {
      fallback: 4,
      min: 1,
      max: 600,
      meaning: "seconds of each load: the peak and three rates",
    },
    rounds: { fallback: 3, min: 1, max: 100, meaning: "rounds to take the median of" },
    connections: { fallback: 32, min: 1, max: 1000, meaning: "connections kept open" },
  },
  async run({ seconds, rounds: roundCount, connections }) {
    requireProcessFigures()
    const machine = machineFacts()
    const wrk = findWrk(process.env)
    const load = { connections, seconds }
    const servers = await startServers()
    try {
      console.log("Warming up …")
      for (const variant of servers.variants) await warmUp(variant, wrk, connections)
      const rounds: Round[] = []
      for (let round = 1; round <= roundCount; round++) {
        console.log(`Round ${round} of ${roundCount} …`)
        rounds.push(await measuredRound(rotated(servers.variants, round), wrk, load))
      }
      const generator = wrk === null ? "our own generator (wrk is not installed)" : "wrk"
      keep({ machine, generator, options: { ...load, rounds: roundCount }, rounds })
    } finally {
      await servers.close()
    }
  },
}

/** Counted in requests, not seconds, so that a slow machine does not measure its compiler. */
async function warmUp(
  { workers, target }: Variant,
  wrk: string | null,
  connections: number,
): Promise<void> {
  const load = { connections, seconds: WARM_UP_SLICE_SECONDS }
  let answered = 0
  for (let slice = 0; slice < WARM_UP_SLICES_MAX; slice++) {
    if (answered >= WARM_UP_REQUESTS * workers) return
    answered += (await peakLoad(wrk, target, load)).requests
  }
}

/**
 * Measures the variants one after the other, so that a passing disturbance of the machine disturbs
 * all of them alike.
 */
async function measuredRound(
  variants: readonly Variant[],
  wrk: string | null,
  load: LoadOptions,
): Promise<Round> {
  const measured: [string, Measurement][] = []
  for (const variant of variants) measured.push([variant.name, await measure(variant, wrk, load)])
  return Object.fromEntries(measured) as Round
}

/**
 * Each round begins with another variant, so that none is always measured right after the same
 * neighbour's garbage.
 */
function rotated(variants: readonly Variant[], by: number): readonly Variant[] {
  const start = by % variants.length
  return [...variants.slice(start), ...variants.slice(0, start)]
}

function keep(report: Report): void {
  console.log(`\n${tables(report)}\n`)
  const { machine, generator, options, rounds } = report
  const figures = {
    machine,
    generator,
    options,
    disturbances: disturbances(rounds),
    bareSpread: bareSpread(rounds),
    targets: targets(rounds),
    medians: medians(rounds),
    rounds,
  }
  console.log(`Written to ${writeResults("http", figures, page(report)).join(" and ")}`)
}
