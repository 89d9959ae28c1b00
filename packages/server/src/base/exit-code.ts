import { isInWords } from "@assay/runtime/explained"
import { sourceLines } from "@assay/runtime/source-lines"

/** Prints why a process ends, and returns what it ends with. */
export function exitCodeOf(error: unknown, stderr: NodeJS.WritableStream): number {
  const explained = isInWords(error)
  const { message, stack } = error as Error
  if (!explained) stderr.write(`assay: ${sourceLines(stack ?? message)}\n`)
  else if (message !== "") stderr.write(`assay: ${message}\n`)
  return explained ? error.exitCode : 1
}
