import type { Command } from "commander"
import type { CompareOptions } from "./model-compare.ts"
import type { ShowOptions } from "./model.ts"
import type { Shell } from "./terminal.ts"

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
