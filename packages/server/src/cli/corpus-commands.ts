import { type Command, Option } from "commander"
import type { CorpusImportOptions } from "./corpus-import.ts"
import type { RekeyOptions } from "./corpus-rekey.ts"
import type { VerifyOptions } from "./corpus-verify.ts"
import type { CorrectionOptions } from "./source-correction.ts"
import type { Shell } from "./terminal.ts"

/** Importing, listing and caring for evidence. */
export function corpusCommands(assay: Command, { terminal, process }: Shell): void {
  const corpus = assay.command("corpus").description("import, list and care for evidence")
  corpus
    .command("import <file...>")
    .description(
      "import evidence from files, folders and archives of a source; all of it or nothing",
    )
    .requiredOption("--source <name>", "name of the source: a-z, 0-9, hyphen, dot, underscore")
    .option(
      "--kind <kind>",
      "kind of evidence (default: what the source was said to be, or each file by its format)",
    )
    .option(
      "--date <day>",
      "day of the event, YYYY-MM-DD (default: as rows, stealer logs and files say)",
    )
    .option("--map <pairs>", "what columns mean: email=Mail,password=3")
    .option("--format <format>", "how the files are written (default: found by looking at them)")
    .option("--title <text>", "title of the source (default: its name)")
    .option("--confidence <share>", "how far the source is believed, up to 1 (default: 0.8)")
    .option("--classes <list>", "what else of a person it holds, separated by commas")
    .option(
      "--source-file <file>",
      "entry of a breach catalogue in JSON, or a list with one of that name, title or domain",
    )
    .option("--rejects <file>", "where rejected rows are listed (default: in the data directory)")
    .option("--memory <megabytes>", "memory of the sorter; the rest goes to the disk", "512")
    .option("--dry-run", "show what the files are and their first rows; write nothing")
    .option("--wait", "queue behind an import that runs, instead of refusing")
    .action(async (files: string[], options: CorpusImportOptions) =>
      (await import("./corpus-import.ts")).importFiles(files, options, terminal, process),
    )
  // For the service itself, which says over a pipe what is to be imported.
  corpus
    .command("take", { hidden: true })
    .action(async () => (await import("./corpus-take.ts")).takeImport(terminal, process))
  corpus
    .command("sources")
    .description("list the sources that scores rest on")
    .action(async () => (await import("./corpus-sources.ts")).listSources(terminal))
  corpus
    .command("show <name>")
    .description("print all that is known of a source, and its batches")
    .action(async (name: string) =>
      (await import("./corpus-sources.ts")).showSource(name, terminal),
    )
  corpus
    .command("retitle <name> <title>")
    .description("change the title of a source; its name stays")
    .action(async (name: string, title: string) =>
      (await import("./corpus-sources.ts")).retitleSource(name, title, terminal),
    )
  corpus
    .command("set <name>")
    .description("correct what is said of a source, from the next score on")
    .option("--confidence <number>", "how far it is believed, above 0, at most 1")
    .option("--event-date <day>", "when it happened: 2024-03-01, or none")
    .option("--published-date <day>", "when it became public")
    .option("--acquired-date <day>", "when you came to hold it")
    .option("--classes <list>", "what its rows hold beside a secret, such as phone,dob, or none")
    .option("--flags <list>", "spam-list, fabricated, sensitive, verified, stealer-log, or none")
    .option("--as <word>", "origin or circulation, whatever is measured; measured undoes it")
    .action(async (name: string, options: CorrectionOptions) =>
      (await import("./corpus-sources.ts")).setSource(name, options, terminal),
    )
  corpus
    .command("remove <name>")
    .description("take a source out of all later scores and delete what was imported from it")
    .option("--yes", "do it; without this nothing is removed")
    .action(async (name: string, options: { yes?: boolean }) =>
      (await import("./corpus-sources.ts")).removeSource(name, options, terminal),
    )
  corpus
    .command("stats")
    .description("print what the index holds and the room it takes")
    .action(async () => (await import("./corpus-index.ts")).printCorpusStats(terminal))
  corpus
    .command("verify")
    .description("read all of the index and the segments and name every fault; mends nothing")
    .option("--index", "only the index")
    .option("--slowly", "rest between reads, to disturb nothing beside it")
    .addOption(new Option("--here", "in this process, which a damaged page may end").hideHelp())
    .action(async (options: VerifyOptions) =>
      (await import("./corpus-verify.ts")).verifyIndex(options, terminal, {
        exec: process.argv[1],
        execArgv: process.execArgv,
      }),
    )
  corpus
    .command("compact")
    .description("write the index anew without what was removed or erased, while it is served")
    .option("--if-needed", "only if it has grown, or much was removed, or an erasure is a week old")
    .action(async (options: { ifNeeded?: boolean }) =>
      (await import("./corpus-index.ts")).compactIndex(options, terminal, process),
    )
  corpus
    .command("rebuild")
    .description("make the index again from segments and records, while it is served")
    .option("--lost-index", "make one anew that is gone or unreadable; the service must be stopped")
    .action(async (options: { lostIndex?: boolean }) =>
      (await import("./corpus-index.ts")).rebuildIndex(options, terminal),
    )
  corpus
    .command("rekey <file...>")
    .description(
      "make a second data directory under another master secret, from the files that were imported; without them it cannot be done",
    )
    .requiredOption("--into <directory>", "the new data directory; the one in use stays as it is")
    .requiredOption("--secret <file>", "file with the new master secret; made where there is none")
    .option("--memory <megabytes>", "memory of the sorter; the rest goes to the disk", "512")
    .option("--without-missing", "leave out batches whose files are not given")
    .option("--forget-erasures", "do it although erased identities would come back")
    .option("--yes", "do it; without this it only says what is left behind")
    .action(async (files: string[], options: RekeyOptions) =>
      (await import("./corpus-rekey.ts")).rekey(files, options, terminal, process),
    )
}
