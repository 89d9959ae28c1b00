// Loaded first by programs that were built (scripts/build-programs.ts): what Node prints when one
// ends by an error that nobody caught names lines of the sources.
import process from "node:process"
import { sourceLines } from "./source-lines.ts"

process.on("uncaughtExceptionMonitor", (error: unknown) => {
  if (error instanceof Error && error.stack !== undefined) error.stack = sourceLines(error.stack)
})
