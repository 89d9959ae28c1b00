import type { Command } from "commander"
import type { LearntOptions } from "./lists-learnt.ts"
import type { ImportOptions } from "./lists.ts"
import type { Shell } from "./terminal.ts"

/** What is known of mail domains. */
export function listsCommands(assay: Command, { terminal }: Shell): void {
  const lists = assay.command("lists").description("show and change what is known of mail domains")
  lists
    .command("stats")
    .description("print every list with its entries, version, category and age")
    .action(async () => (await import("./lists.ts")).printListStats(terminal))
  lists
    .command("check <domain>")
    .description("print what the lists say of a domain, and which of them")
    .action(async (domain: string) => (await import("./lists.ts")).checkDomain(domain, terminal))
  lists
    .command("import <file>")
    .description(
      "make a list of a file: a domain a line, a hosts file, or CSV; all of it or nothing",
    )
    .requiredOption(
      "--category <word>",
      "what its domains are: toxic, disposable, free, masked, allow or deny",
    )
    .option("--name <name>", "name of the list; one of this name is replaced (default: the file's)")
    .option("--note <text>", "a note kept beside every domain")
    .action(async (file: string, options: ImportOptions) =>
      (await import("./lists.ts")).importList(file, options, terminal),
    )
  lists
    .command("remove <name>")
    .description("remove a list that was imported or written by hand")
    .action(async (name: string) => (await import("./lists.ts")).removeList(name, terminal))
  lists
    .command("learnt")
    .description("print the mail servers that serve disposable hosts, learnt with ASSAY_DNS on")
    .option("--all", "also servers that say nothing yet")
    .option("--overrule <server>", "let a server, by name or address, mark no host any more")
    .option("--reinstate <server>", "let a server that was overruled count again")
    .action(async (options: LearntOptions) =>
      (await import("./lists-learnt.ts")).listsLearnt(options, terminal),
    )
}
