import type { Command } from "commander"
import type { AuditFilter } from "./audit.ts"
import type { UsageOptions } from "./usage.ts"
import type { Shell } from "./terminal.ts"

/** Who did what, and who used how much. */
export function auditCommands(assay: Command, { terminal }: Shell): void {
  const audit = assay.command("audit").description("who changed or fetched what, and when")
  const auditFilters = (command: Command): Command =>
    command
      .option("--action <word>", "only this action, or all that begin with it: key, key.revoke")
      .option("--subject <word>", "only what it was done to: key:ID, tenant:ID")
      .option("--since <day>", "only from this UTC day on, YYYY-MM-DD")
  auditFilters(audit.command("list"))
    .description("list the audit trail, the newest entry first")
    .option("--limit <count>", "at most this many", "50")
    .action(async (options: AuditFilter & { limit: string }) =>
      (await import("./audit.ts")).listAudit(options, terminal),
    )
  auditFilters(audit.command("export"))
    .description("print the audit trail as lines of JSON, the oldest entry first")
    .option("--after <id>", "only entries after this one, to go on from the last export")
    .action(async (options: AuditFilter & { after?: string }) =>
      (await import("./audit.ts")).exportAudit(options, terminal),
    )
  assay
    .command("usage")
    .description("print the lookups of a month, by tenant, key and operation")
    .option("--tenant <name>", "only those of this tenant")
    .option("--month <month>", "YYYY-MM, in UTC (default: this one)")
    .option("--by-day", "each day by itself")
    .option("--json", "as a document")
    .action(async (options: UsageOptions) =>
      (await import("./usage.ts")).printUsage(options, terminal),
    )
}
