import type { Command } from "commander"
import type { CreateOptions } from "./keys.ts"
import type { Shell } from "./terminal.ts"

/** Making and ending API keys. */
export function keysCommands(assay: Command, { terminal }: Shell): void {
  const keys = assay.command("keys").description("make and end API keys")
  keys
    .command("create")
    .description("make a key and print it, once")
    .option("--tenant <name>", "the tenant it belongs to; made if there is none of this name")
    .option("--plan <plan>", "plan of a new tenant: free or enterprise (default: free)")
    .option("--service", "a key of the service itself, for administration, of no tenant")
    .option("--scopes <list>", "what it may do, separated by commas, or all (default: score)")
    .option("--expires <time>", "when it ends: 12h, 90d (default: never)")
    .option("--label <text>", "a note to recognise it by")
    .action(async (options: CreateOptions) =>
      (await import("./keys.ts")).createKey(options, terminal),
    )
  keys
    .command("list")
    .description("list keys, without what would let anyone use them")
    .option("--tenant <name>", "only those of this tenant")
    .action(async (options: { tenant?: string }) =>
      (await import("./keys.ts")).listKeys(options, terminal),
    )
  keys
    .command("rotate <id>")
    .description("replace a key by a new one and print that, once")
    .option("--overlap <time>", "how long the old one goes on working", "24h")
    .option("--expires <time>", "when the new one ends (default: never)")
    .action(async (id: string, options: { overlap: string; expires?: string }) =>
      (await import("./keys.ts")).rotateKey(id, options, terminal),
    )
  keys
    .command("revoke <id>")
    .description("end a key")
    .action(async (id: string) => (await import("./keys.ts")).revokeKey(id, terminal))
  keys
    .command("mint")
    .description(
      "print a key for ASSAY_BOOTSTRAP_KEY; it opens nothing until a service starts with it",
    )
    .action(async () => (await import("./keys.ts")).mintKey(terminal))
}
