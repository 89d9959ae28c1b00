import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { BenchError } from "./bench.ts"
import { root } from "../scripts/repository.ts"

/** A Node program of the repository that runs until it is stopped. */
export interface RunningProgram {
  readonly pid: number
  /** What its output matched when it was ready. */
  readonly ready: RegExpExecArray
  stop(): Promise<void>
}

const READY_MS = 60_000
const STOP_MS = 30_000

/**
 * Starts a program and resolves when its standard output matches `ready`. It inherits no settings
 * from us.
 */
export async function startProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  ready: RegExp,
): Promise<RunningProgram> {
  const child = spawn(process.execPath, ["--conditions=source", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], ...env },
  })
  const { stdout, stderr } = child
  let output = ""
  let complaints = ""
  stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text))
  stdout.setEncoding("utf8")
  const matched = new Promise<RegExpExecArray>((resolve, reject) => {
    const give = (reason: string): void => {
      reject(new BenchError(`${args.join(" ")} ${reason}\n${complaints}`))
    }
    const timer = setTimeout(give, READY_MS, "was not ready in time")
    child.once("error", reject)
    child.once("exit", () => {
      clearTimeout(timer)
      give("ended before it was ready")
    })
    stdout.on("data", (text: string) => {
      output += text
      const match = ready.exec(output)
      if (match === null) return
      clearTimeout(timer)
      resolve(match)
    })
  })
  const match = await matched.catch(async (error: unknown) => {
    await stopped(child)
    throw error
  })
  return { pid: child.pid as number, ready: match, stop: () => stopped(child) }
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, "exit")
  child.kill("SIGTERM")
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS)
  await gone
  clearTimeout(timer)
}
