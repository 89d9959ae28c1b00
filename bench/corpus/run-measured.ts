import { spawn } from "node:child_process"
import { constants, getPriority, setPriority } from "node:os"
import { BenchError } from "../bench.ts"
import { anonymousBytes, endedProcessorMicros, processTree } from "../process-figures.ts"

export interface MeasuredRun {
  readonly seconds: number
  /** Processor time of all its processes. */
  readonly cpuSeconds: number
  /** The most memory no file backs that all its processes had together. */
  readonly peakBytes: number
  readonly output: string
}

const LOOK_MS = 200

/**
 * Imports give way to a service, so everything they are compared with runs at that priority too.
 */
export function giveWayAsImports(pid: number): void {
  setPriority(pid, Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))
}

/**
 * Runs a command to its end, at the priority of imports, and measures it with all that it starts.
 * Nothing else that this process started may end meanwhile.
 */
export async function runMeasured(
  command: string,
  args: readonly string[],
  { env = {}, input }: { env?: Readonly<Record<string, string>>; input?: string } = {},
): Promise<MeasuredRun> {
  const cpuBefore = endedProcessorMicros()
  const startedAt = performance.now()
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], ...env },
  })
  if (child.pid !== undefined) giveWayAsImports(child.pid)
  child.stdin.end(input)
  let output = ""
  let complaints = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text))
  let peakBytes = 0
  const looking = setInterval(() => {
    if (child.pid !== undefined) peakBytes = Math.max(peakBytes, treeBytes(child.pid))
  }, LOOK_MS)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", resolve)
  }).finally(() => clearInterval(looking))
  const seconds = (performance.now() - startedAt) / 1000
  if (code !== 0) throw new BenchError(`${command} ${args.join(" ")} failed:\n${complaints}`)
  const cpuSeconds = (endedProcessorMicros() - cpuBefore) / 1e6
  return { seconds, cpuSeconds, peakBytes, output }
}

function treeBytes(pid: number): number {
  let sum = 0
  for (const member of processTree(pid)) {
    try {
      sum += anonymousBytes(member)
    } catch {
      // The process ended after it was listed, so it has no memory.
    }
  }
  return sum
}
