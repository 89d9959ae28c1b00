import type { Cluster } from "node:cluster"
import type { Environment } from "../base/config.ts"

/** What a command has of the outside world; main.ts hands in the process's own. */
export interface Terminal {
  readonly env: Environment
  /** Who runs the command, for the audit trail. */
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
export class CommandError extends Error {
  override readonly name = "CommandError"
  readonly exitCode: number
  constructor(message: string, options: ErrorOptions & { readonly exitCode?: number } = {}) {
    super(message, options)
    this.exitCode = options.exitCode ?? 1
  }
}

/** A command that failed and has said why. */
export class AlreadyReported extends Error {
  override readonly name = "AlreadyReported"
  readonly exitCode: number
  constructor(exitCode: number) {
    super("The command failed and has said why")
    this.exitCode = exitCode
  }
}
