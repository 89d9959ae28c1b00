import type { Command } from "commander"
import type { OperatorTokenOptions } from "./operators.ts"
import type { Shell } from "./terminal.ts"

/** People who run the service. */
export function operatorsCommands(assay: Command, { terminal }: Shell): void {
  const operators = assay.command("operators").description("people who run the service")
  operators
    .command("token")
    .description("make a token for a recipient of the drop and print it, once; keys list shows it")
    .option("--name <name>", "whose it is")
    .option("--reseal", "it may also seal messages to changed keys; ends within a day")
    .option("--expires <time>", "when it ends: 12h, 90d (default: 30d; 2h with --reseal)")
    .action(async (options: OperatorTokenOptions) =>
      (await import("./operators.ts")).createOperatorToken(options, terminal),
    )
}
