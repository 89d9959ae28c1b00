import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { root, toolEnvironment } from "./repository.ts"

export type Command = readonly [string, ...string[]]

interface RunOptions {
  readonly env?: NodeJS.ProcessEnv
  /** Called with the process id once it runs. */
  readonly watch?: (pid: number) => void
}

/**
 * Runs a command in the repository with our streams. Gives its exit code; 1 when a signal ended it.
 */
export function runCommand(
  [command, ...args]: Command,
  { env = {}, watch }: RunOptions = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: "inherit", env: toolEnvironment(env) })
    if (child.pid !== undefined) watch?.(child.pid)
    child.on("error", reject)
    child.on("exit", (code) => resolve(code ?? 1))
  })
}

/**
 * Runs a command in the repository beside others. Gives its exit code with all that it printed, in
 * order.
 */
export async function commandOutput([command, ...args]: Command): Promise<{
  readonly pid: number | undefined
  readonly exitCode: number
  readonly output: string
}> {
  // One pipe for both streams, which keeps the order of output and errors.
  const merged = spawn("sh", ["-c", 'exec "$@" 2>&1', "sh", command, ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    env: toolEnvironment(),
  })
  const ended = new Promise<number>((resolve, reject) => {
    merged.on("error", reject)
    merged.on("close", (code) => resolve(code ?? 1))
  })
  const output = await text(merged.stdout)
  return { pid: merged.pid, exitCode: await ended, output }
}
