import type { Command } from "commander"
import type { ScoreFileOptions } from "./score.ts"
import type { Shell } from "./terminal.ts"

/** Scoring a file through a running service. */
export function scoreCommands(assay: Command, { terminal, process }: Shell): void {
  assay
    .command("score")
    .description("score every row of a file through a running service")
    .requiredOption("--in <file>", "CSV or lines of JSON; - for standard input")
    .requiredOption("--out <file>", "the same rows with their results; - for standard output")
    .option("--format <format>", "csv or ndjson (default: by the name of the input)")
    .option("--column <name>", "column or member with the identity, by name or number")
    .option("--phone", "the rows hold phone numbers, not e-mail addresses")
    .option("--url <url>", "where the service is", "http://127.0.0.1:8080")
    .option("--key-file <file>", "file with the API key (default: the variable ASSAY_API_KEY)")
    .option("--force", "replace an output that exists")
    .action(async (options: ScoreFileOptions) =>
      (await import("./score.ts")).scoreFile(options, terminal, process),
    )
}
