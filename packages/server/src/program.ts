import cluster from "node:cluster"
import { constants, userInfo } from "node:os"
import { CommanderError } from "commander"
import { Explained } from "@assay/runtime/explained"
import { closeInheritedFiles } from "@assay/runtime/close-inherited"
import { sourceLines } from "@assay/runtime/source-lines"

/** The command line, or a worker that the command `serve` started. Ends the process. */
export async function run(process: NodeJS.Process): Promise<void> {
  try {
    await start(process)
  } catch (error) {
    process.exit(exitCodeOf(error, process.stderr))
  }
}

async function start(process: NodeJS.Process): Promise<void> {
  // Every file this program makes, even a forgotten one, is readable by its owner alone.
  process.umask(0o077)
  if (process.connected) closeInheritedFiles()
  if (cluster.isWorker) {
    // A terminal sends its signals to every process; a worker stops when its primary says so.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined)
    const { runWorker } = await import("./run/worker.ts")
    await runWorker(process.env, process, () => process.exit(0))
    return
  }
  cluster.setupPrimary({ serialization: "advanced" })
  // `assay audit export | head`: nobody reads the rest.
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") process.exit(128 + constants.signals.SIGPIPE)
  })
  const terminal = {
    env: process.env,
    user: userName(process),
    now: Date.now,
    print: (line: string) => void process.stdout.write(`${line}\n`),
    note: (line: string) => void process.stderr.write(`${line}\n`),
  }
  const { assayCommand } = await import("./cli/assay-command.ts")
  await assayCommand({ terminal, process, cluster }).parseAsync(process.argv)
  // If the output is a socket, as for programs that start us, exiting would cut off the rest.
  await new Promise<void>((resolve) => process.stdout.write("", () => resolve()))
  process.exit(0)
}

/** A container may run under a number that has no name. */
function userName({ getuid }: NodeJS.Process): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${getuid?.() ?? "unknown"}`
  }
}

function exitCodeOf(error: unknown, stderr: NodeJS.WritableStream): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const explained = error instanceof Explained
  const { message, stack } = error as Error
  if (!explained) stderr.write(`assay: ${sourceLines(stack ?? message)}\n`)
  else if (message !== "") stderr.write(`assay: ${message}\n`)
  return explained ? error.exitCode : 1
}
