import cluster from "node:cluster"
import { constants, userInfo } from "node:os"
import { CommanderError } from "commander"
import { closeInheritedFiles } from "@assay/runtime/close-inherited"
import { exitCodeOf } from "./base/exit-code.ts"

/** The command line. Ends the process. */
export async function run(process: NodeJS.Process): Promise<void> {
  try {
    await start(process)
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2)
    process.exit(exitCodeOf(error, process.stderr))
  }
}

async function start(process: NodeJS.Process): Promise<void> {
  // Every file this program makes, even a forgotten one, is readable by its owner alone.
  process.umask(0o077)
  if (process.connected) closeInheritedFiles()
  // `assay audit export | head`: nobody reads the rest.
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") process.exit(128 + constants.signals.SIGPIPE)
  })
  const terminal = {
    env: process.env,
    user: `shell:${userName(process)}`,
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
