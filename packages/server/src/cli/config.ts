import { readConfig, shownSettings } from "../base/config.ts"
import type { Terminal } from "./terminal.ts"

/**
 * Prints every setting with its value, where that comes from, and its meaning; then fails if any is
 * wrong.
 */
export function printConfig(terminal: Terminal): void {
  for (const { name, value, source, meaning } of shownSettings(terminal.env)) {
    terminal.print(`${name}=${value}  (${source})`)
    terminal.print(`    ${meaning}`)
  }
  readConfig(terminal.env)
}
