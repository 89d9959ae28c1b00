import type { Command } from "commander"
import type { Shell } from "./terminal.ts"

/** Tenants, their plans and settings. */
export function tenantsCommands(assay: Command, { terminal }: Shell): void {
  const tenants = assay.command("tenants").description("tenants, their plans and settings")
  tenants
    .command("list")
    .description("list tenants, the models they use and what is set for them")
    .action(async () => (await import("./tenants.ts")).listTenants(terminal))
  tenants
    .command("show <name>")
    .description("print every setting of a tenant and what it takes")
    .action(async (name: string) => (await import("./tenants.ts")).showTenant(name, terminal))
  tenants
    .command("create <name>")
    .description("make a tenant, without a key")
    .option("--plan <plan>", "free or enterprise (default: free)")
    .action(async (name: string, options: { plan?: string }) =>
      (await import("./tenants.ts")).createTenant(name, options, terminal),
    )
  tenants
    .command("set <name> [setting...]")
    .description(
      "change settings by KEY=VALUE, such as providers=true; KEY= goes back to the default",
    )
    .option(
      "--domains <domains>",
      "the tenant's own mail domains, with commas between: what looks like one of them is told as an imitation",
    )
    .action(async (name: string, settings: string[], options: { domains?: string }) =>
      (await import("./tenants.ts")).setTenant(name, settings, options, terminal),
    )
}
