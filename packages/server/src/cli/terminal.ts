import { Explained, type ExplainedOptions } from "@assay/runtime/explained"
import type { Cluster } from "node:cluster"
import type { Environment } from "../base/config.ts"

/** What a command has of the outside world; main.ts hands in the process's own. */
export interface Terminal {
  readonly env: Environment
  /** Who runs the command, for the audit trail: `shell:USER`. */
  readonly user: string
  readonly now: () => number
  /** Prints a line of the result. */
  print(line: string): void
  /** Prints a line that is not part of the result. */
  note(line: string): void
}

/** What commands are handed: only main.ts reads the process itself. */
export interface Shell {
  readonly terminal: Terminal
  readonly process: NodeJS.Process
  readonly cluster: Cluster
}

/** A command that cannot do what it was asked; the message is all a person is shown. */
export class CommandError extends Explained {
  override readonly name = "CommandError"
  constructor(message: string, options?: ExplainedOptions) {
    super("command", message, options)
  }
}
