import type { Command } from "commander"
import type { Shell } from "./terminal.ts"

/** Copying a data directory and putting it back. */
export function backupCommands(assay: Command, { terminal, process }: Shell): void {
  assay
    .command("backup <folder>")
    .description(
      "copy segments, index, records, lists and models into a new folder, also while serving",
    )
    .action(async (folder: string) =>
      (await import("./backup.ts")).backUp(folder, terminal, process),
    )
  assay
    .command("restore <folder>")
    .description("put a backup into an empty data directory, with the same master secret")
    .option(
      "--without-tombstones",
      "restore also without the file that says who was erased since: they are back until you erase them again",
    )
    .action(async (folder: string, options: { withoutTombstones?: boolean }) =>
      (await import("./backup.ts")).restore(folder, options, terminal),
    )
}
