import type { Command } from "commander"
import type { CalibrateOptions } from "./calibrate.ts"
import type { CompareOptions } from "./model-compare.ts"
import type { ShowOptions } from "./model.ts"
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

/** Fitting probabilities to outcomes. */
export function calibrateCommands(assay: Command, { terminal }: Shell): void {
  assay
    .command("calibrate")
    .description("fit probabilities to your own outcomes and print the calibration")
    .requiredOption("--labels <file>", "what became of scored identities: .csv, .ndjson or .jsonl")
    .option("--tenant <name>", "the tenant the calibration is for")
    .option("--apply", "make it the calibration of the tenant")
    .action(async (options: CalibrateOptions) => {
      const { calibrate, withCalibrationReach } = await import("./calibrate.ts")
      await withCalibrationReach(options.tenant, terminal, (reach) =>
        calibrate(options, terminal, reach),
      )
    })
}

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

/** The models that make scores. */
export function modelCommands(assay: Command, { terminal }: Shell): void {
  const model = assay.command("model").description("the models that make scores")
  model
    .command("list")
    .description("list the models that are loaded and how many tenants use each")
    .action(async () => (await import("./model.ts")).listModels(terminal))
  model
    .command("show <name> [version]")
    .description("print a model, email or phone")
    .option("--path <member>", "only this member: abuse.emailAge")
    .option("--json", "as its document")
    .option("--schema", "the JSON Schema of its documents instead")
    .action(async (name: string, version: string | undefined, options: ShowOptions) =>
      (await import("./model.ts")).showModel(name, version, options, terminal),
    )
  model
    .command("diff <name> <from> <to>")
    .description("print what differs between two versions or files")
    .action(async (name: string, from: string, to: string) =>
      (await import("./model.ts")).diffModels(name, from, to, terminal),
    )
  model
    .command("compare <name> <from> <to>")
    .description(
      "score the recorded inputs of a tenant's decisions by two versions or files, and print whose answer differs",
    )
    .requiredOption("--tenant <name>", "the tenant")
    .option("--limit <count>", "at most this many decisions, the newest", "1000")
    .action(async (name: string, from: string, to: string, options: CompareOptions) =>
      (await import("./model-compare.ts")).compareModels(name, from, to, options, terminal),
    )
  model
    .command("card [name] [version]")
    .description("print the model card, in Markdown")
    .action(async (name: string | undefined, version: string | undefined) =>
      (await import("./model.ts")).printCard(name, version, terminal),
    )
  model
    .command("check <file>")
    .description("say whether a document could be used as a model")
    .action(async (file: string) => (await import("./model.ts")).checkModel(file, terminal))
}

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
