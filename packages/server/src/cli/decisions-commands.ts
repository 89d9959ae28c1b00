import type { Command } from "commander"
import type { Shell } from "./terminal.ts"

/** Past answers. */
export function decisionsCommands(assay: Command, { terminal }: Shell): void {
  const decisions = assay.command("decisions").description("look at past answers and repeat them")
  decisions
    .command("show <id>")
    .description("print all that is kept of a decision")
    .action(async (id: string) => (await import("./decisions.ts")).showDecision(id, terminal))
  decisions
    .command("replay <id>")
    .description("compute a decision again; fails if the answer is not the one that was given")
    .action(async (id: string) => (await import("./decisions.ts")).replayDecision(id, terminal))
  decisions
    .command("list")
    .description("list a tenant's decisions, the newest first")
    .requiredOption("--tenant <name>", "the tenant")
    .option("--limit <count>", "at most this many", "20")
    .action(async (options: { tenant: string; limit: string }) =>
      (await import("./decisions.ts")).listDecisions(options, terminal),
    )
}
