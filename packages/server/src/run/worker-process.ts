// The process of a worker, which workers.ts forks.
import process from "node:process"
import { closeInheritedFiles } from "@assay/runtime/close-inherited"
import { exitCodeOf } from "../base/exit-code.ts"

// Every file this program makes, even a forgotten one, is readable by its owner alone.
process.umask(0o077)
closeInheritedFiles()
// A terminal sends its signals to every process; a worker stops when its primary says so. All else
// is imported after that.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined)
void run()

async function run(): Promise<void> {
  try {
    const { runWorker } = await import("./worker.ts")
    await runWorker(process.env, process, () => process.exit(0), process)
  } catch (error) {
    process.exit(exitCodeOf(error, process.stderr))
  }
}
