import { typedCommand } from "./typed-command.ts"

/**
 * What a process ends by that followed a damaged page. Any other signal was sent by somebody, or by
 * a machine short of memory.
 */
const BY_A_PAGE: ReadonlySet<string> = new Set(["SIGBUS", "SIGSEGV", "SIGABRT", "SIGILL", "SIGFPE"])

/**
 * The sentence for when LMDB followed a damaged page and that ended the process reading the index;
 * null: something else ended it.
 */
export function walkEnded(signal: string): string | null {
  if (!BY_A_PAGE.has(signal)) return null
  return `the index cannot be read through: a damaged page of its file ended the process that followed it (${signal}); stop the service and run ${typedCommand("corpus rebuild --lost-index")}`
}
