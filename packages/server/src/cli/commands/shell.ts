import type { Cluster } from "node:cluster"
import type { Terminal } from "../print/terminal.ts"

/** What commands are handed: only main.ts reads the process itself. */
export interface Shell {
  readonly terminal: Terminal
  readonly process: NodeJS.Process
  readonly cluster: Cluster
}
