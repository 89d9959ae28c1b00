import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { assayProgram } from "../scripts/program.ts"
import { markdownTable } from "../scripts/table.ts"
import type { Bench } from "./bench.ts"
import { startProgram } from "./child-program.ts"
import { machineFacts, machineLines } from "./machine.ts"
import {
  childrenOf,
  ownProcessorMicros,
  processorMicros,
  processTree,
  proportionalBytes,
  requireProcessFigures,
  residentBytes,
} from "./process-figures.ts"
import { writeResults } from "./results.ts"
import { median } from "./statistics.ts"

/** One start of the service on an empty data directory, up to the line that says it is ready. */
interface Start {
  readonly wallMs: number
  /** Of all processes together. */
  readonly processorMs: number
  /** Of the primary, the worker and the drop, each with the code that they share. */
  readonly megabytes: number
  /** Of the same three when the service had nothing to do for some seconds, and has collected. */
  readonly quietMegabytes: number
  /** What those three took from being ready to then. */
  readonly quietProcessorMs: number
  /** As `quietMegabytes`, with each page divided by the processes of the machine that share it. */
  readonly dividedMegabytes: number
}

type Judged = "processorMs" | "wallMs" | "quietMegabytes"
type Shown = Judged | "megabytes" | "quietProcessorMs"

const MUST: Pick<Start, Judged> = { wallMs: 800, processorMs: 900, quietMegabytes: 260 }

/** Each thread collects in its first quiet second half a minute after its start. */
const QUIET_MS = 35_000

export const startBench: Bench<"rounds"> = {
  name: "start",
  summary: "a start of the service up to its first request, beside a start of Node alone",
  options: {
    rounds: { fallback: 9, min: 1, max: 100, meaning: "rounds to take the median of" },
  },
  async run({ rounds }) {
    requireProcessFigures()
    const machine = machineFacts()
    // Compiled code is there from then on, as it is on a machine that ran the service before. It is
    // kept one and five seconds after a start.
    await measuredStart()
    const starts: Start[] = []
    const bare: number[] = []
    for (let round = 0; round < rounds; round++) {
      starts.push(await measuredStart())
      bare.push(bareNodeMs())
    }
    const table = tableOf(starts)
    const node = `Node alone: ${Math.round(median(bare))} ms of the processor; the service is ${(
      median(starts.map(({ processorMs }) => processorMs)) / median(bare)
    ).toFixed(1)} times that, in three processes.`
    const divided = `Of the memory once quiet, most of Node's own code is counted in each of the three processes. With every page divided by the
processes of the machine that share it (PSS), it is ${Math.round(
      median(starts.map(({ dividedMegabytes }) => dividedMegabytes)),
    )} MB; other programs of the same Node make that less.`
    console.log(`\n${table}\n\n${divided}\n\n${node}\n`)
    const page = `# Start

Printed by \`npm run bench -- start\`: one start of the service with one worker and the drop, on an empty data directory, from the
command to the line that says it is ready; ${rounds} rounds.

${machineLines(machine)}

${table}

${divided}

${node}
`
    const files = writeResults("start", { machine, options: { rounds }, starts, bare }, page)
    console.log(`Written to ${files.join(" and ")}`)
  },
}

async function measuredStart(): Promise<Start> {
  const folder = mkdtempSync(join(tmpdir(), "assay-bench-start-"))
  try {
    const from = performance.now()
    const service = await startProgram(
      [...assayProgram(), "serve"],
      { ASSAY_DATA: join(folder, "data"), PORT: "0", DROP_PORT: "0" },
      /API reference/,
    )
    const wallMs = performance.now() - from
    // The sealers that the drop starts ahead count for the processor, as far as they are.
    const processorMs = sum(processTree(service.pid), processorMicros) / 1000
    const three = [service.pid, ...childrenOf(service.pid)]
    const readyMicros = sum(three, processorMicros)
    const megabytes = sum(three, residentBytes) / 2 ** 20
    await delay(QUIET_MS)
    const start = {
      wallMs,
      processorMs,
      megabytes,
      quietMegabytes: sum(three, residentBytes) / 2 ** 20,
      quietProcessorMs: (sum(three, processorMicros) - readyMicros) / 1000,
      dividedMegabytes: sum(three, proportionalBytes) / 2 ** 20,
    }
    await service.stop()
    return start
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function sum(pids: readonly number[], of: (pid: number) => number): number {
  return pids.reduce((total, pid) => total + of(pid), 0)
}

function bareNodeMs(): number {
  const before = ownProcessorMicros()
  execFileSync(process.execPath, ["--eval", "0"])
  return (ownProcessorMicros() - before) / 1000
}

function tableOf(starts: readonly Start[]): string {
  const row = (title: string, unit: string, of: Shown): (string | number)[] => {
    const values = starts.map((start) => start[of])
    const best = [`${title}, ${unit}`, Math.round(Math.min(...values)), Math.round(median(values))]
    if (!isJudged(of)) return [...best, "", ""]
    return [...best, MUST[of], median(values) <= MUST[of] ? "yes" : "NO"]
  }
  const quiet = `${QUIET_MS / 1000} s later`
  return markdownTable(
    ["start to ready", "best", "median", "must", "met"],
    [
      row("processor time of all processes", "ms", "processorMs"),
      row("wall", "ms", "wallMs"),
      row("memory of primary, worker and drop when ready", "MB", "megabytes"),
      row(`the same ${quiet}, when quiet`, "MB", "quietMegabytes"),
      row(
        "processor time of these three until then, with the collection",
        "ms",
        "quietProcessorMs",
      ),
    ],
  )
}

function isJudged(figure: Shown): figure is Judged {
  return figure in MUST
}
