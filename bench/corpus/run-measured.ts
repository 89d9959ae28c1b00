import { spawn } from "node:child_process"
import { BenchError } from "../bench.ts"
import { anonymousBytes, processTree } from "../process-figures.ts"

export interface MeasuredRun {
  readonly seconds: number
  /** The most memory no file backs that all its processes had together. */
  readonly peakBytes: number
  readonly output: string
}

// Asking the kernel costs the processes it asks about: each look stops them for as long as it
// takes.
const LOOK_MS = 1000

/** Runs a command to its end and measures it with all that it starts. */
export async function runMeasured(
  command: string,
  args: readonly string[],
  { env = {}, input }: { env?: Readonly<Record<string, string>>; input?: string } = {},
): Promise<MeasuredRun> {
  const startedAt = performance.now()
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], ...env },
  })
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
  return { seconds, peakBytes, output }
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
