import cluster from "node:cluster"
import { constants, userInfo } from "node:os"
import { CommanderError } from "commander"
import type { Terminal } from "./cli/terminal.ts"
import { Explained } from "@assay/runtime/explained"
import { closeInheritedFiles } from "@assay/runtime/close-inherited"
import { keepCompiledCode } from "./base/compiled-code.ts"

const terminal: Terminal = {
  env: process.env,
  user: userName(),
  now: Date.now,
  print: (line) => void process.stdout.write(`${line}\n`),
  note: (line) => void process.stderr.write(`${line}\n`),
}

/** A container may run under a number that has no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const explained = error instanceof Explained
  const { message, stack } = error as Error
  if (!explained) process.stderr.write(`assay: ${stack ?? message}\n`)
  else if (message !== "") process.stderr.write(`assay: ${message}\n`)
  return explained ? error.exitCode : 1
}

async function run(): Promise<void> {
  // Every file this program makes, even a forgotten one, is readable by its owner alone.
  process.umask(0o077)
  if (process.connected) closeInheritedFiles()
  if (cluster.isWorker) {
    // A terminal sends its signals to every process; a worker stops when its primary says so.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined)
    keepCompiledCode(process.env)
    const { runWorker } = await import("./run/worker.ts")
    await runWorker(process.env, process, () => process.exit(0))
    return
  }
  cluster.setupPrimary({ serialization: "advanced" })
  // `assay audit export | head`: nobody reads the rest.
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") process.exit(128 + constants.signals.SIGPIPE)
  })
  const { assayCommand } = await import("./cli/assay-command.ts")
  await assayCommand({ terminal, process, cluster }).parseAsync(process.argv)
  // If the output is a socket, as for programs that start us, exiting would cut off the rest.
  await new Promise<void>((resolve) => process.stdout.write("", () => resolve()))
  process.exit(0)
}

run().catch((error: unknown) => process.exit(exitCodeOf(error)))
