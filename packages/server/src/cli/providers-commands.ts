import type { Command } from "commander"
import type { Shell } from "./terminal.ts"

/** Who is asked about phone numbers. */
export function providersCommands(assay: Command, { terminal }: Shell): void {
  const providers = assay
    .command("providers")
    .description("carriers and vendors that are asked about phone numbers")
  providers
    .command("list")
    .description("print who is asked, about which numbers, for what and at what cost; asks nobody")
    .option("--json", "as a document")
    .action(async (options: { json?: boolean }) =>
      (await import("./providers.ts")).listProviders(options, terminal),
    )
  providers
    .command("check")
    .description(
      "say of each whether it takes our credentials; names no number, fails if one does not",
    )
    .action(async () => (await import("./providers.ts")).checkConfigured(terminal))
  providers
    .command("costs")
    .description("print calls and costs of a month, by tenant and provider")
    .option("--month <month>", "YYYY-MM, in UTC (default: this one)")
    .option("--json", "as a document")
    .action(async (options: { month?: string; json?: boolean }) =>
      (await import("./providers.ts")).printCosts(options, terminal),
    )
}
