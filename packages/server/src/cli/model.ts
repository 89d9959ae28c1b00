import { existsSync } from "node:fs"
import { join } from "node:path"
import { modelSchemas } from "@assay/core/score"
import { readTenantSettings, scoringSettings } from "../accounts/tenant-settings.ts"
import { readConfig } from "../base/config.ts"
import { MODELS_FOLDER } from "@assay/runtime/data-directory"
import { evaluationBefore, evaluationOf } from "../model-tools/email-evaluation.ts"
import { emailModelCard } from "../model-tools/model-card.ts"
import {
  isVersionedRight,
  levelOf,
  type ModelChange,
  modelChanges,
} from "../model-tools/model-diff.ts"
import {
  contentHash,
  currentModels,
  type LoadedModel,
  type Model,
  MODEL_NAMES,
  type ModelName,
  type Models,
  openModels,
  readModel,
} from "../score/models.ts"
import { phoneModelCard } from "../model-tools/phone-model-card.ts"
import { documentLines, partLines } from "./model-lines.ts"
import { withRecords } from "./records-access.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

/** How much of a value `model diff` prints. */
const CELL_MAX = 60

/** Every model that can answer, and how many tenants have it answer. */
export async function listModels(terminal: Terminal): Promise<void> {
  const models = loadedModels(terminal)
  const users = await tenantsByModel(terminal)
  const rows = MODEL_NAMES.flatMap((name) =>
    models.loaded(name).map(({ model, file, sha256 }) => {
      const isDefault = model === currentModels[name]
      return [
        name,
        model.version,
        file ?? "shipped",
        isDefault ? "default" : "",
        String(users(name, model.version) + (isDefault ? users(name, null) : 0)),
        sha256,
      ]
    }),
  )
  table(["MODEL", "VERSION", "FROM", "", "TENANTS", "SHA-256"], rows).forEach(terminal.print)
}

export interface ShowOptions {
  readonly path?: string
  readonly json?: boolean
  readonly schema?: boolean
}

export function showModel(
  name: string,
  version: string | undefined,
  options: ShowOptions,
  terminal: Terminal,
): void {
  if (options.schema === true) {
    terminal.print(JSON.stringify(modelSchemas[modelName(name)], null, 2))
    return
  }
  const { model, file, sha256 } = wanted(loadedModels(terminal), name, version)
  const part = options.path === undefined ? model : partAt(model, options.path)
  if (options.json === true) terminal.print(JSON.stringify(part, null, 2))
  else if (options.path !== undefined) partLines(part).forEach(terminal.print)
  else {
    terminal.print(`${model.name} ${model.version}, ${file ?? "shipped"}, sha256 ${sha256}`)
    documentLines(model).forEach(terminal.print)
  }
}

/** Both sides are a version or a file. */
export function diffModels(name: string, from: string, to: string, terminal: Terminal): void {
  const models = loadedModels(terminal)
  const [before, after] = [from, to].map((side) => versionOrFile(models, name, side)) as [
    Model,
    Model,
  ]
  const changes = modelChanges(before, after)
  if (changes.length > 0) changeTable(changes).forEach(terminal.print)
  terminal.print(verdict(before, after, changes))
}

export function printCard(
  name: string | undefined,
  version: string | undefined,
  terminal: Terminal,
): void {
  const { model, file } = wanted(loadedModels(terminal), name ?? "email", version)
  const shipped = file === null
  const card =
    model.name === "phone"
      ? phoneModelCard(model, shipped)
      : emailModelCard(
          model,
          shipped ? evaluationOf(model.version) : null,
          shipped ? evaluationBefore(model.version) : null,
        )
  terminal.print(card.trimEnd())
}

/** Says whether the service could use a document, before it is put where the service reads it. */
export function checkModel(file: string, terminal: Terminal): void {
  const models = loadedModels(terminal)
  const model = readModel(file, file)
  const { name, version } = model
  const known = models.loaded(name).find((loaded) => loaded.model.version === version)
  if (known !== undefined && known.sha256 !== contentHash(model))
    throw new CommandError(
      `${file}: /version: ${name} ${version} is loaded already, with other content; give this document a version of its own`,
    )
  terminal.print(`${name} ${version} can be used.`)
  const usual = currentModels[name]
  terminal.print(
    `Against ${name} ${usual.version}: ${verdict(usual, model, modelChanges(usual, model))}`,
  )
}

export function loadedModels(terminal: Terminal): Models {
  return openModels(join(readConfig(terminal.env).dataDirectory, MODELS_FOLDER))
}

/** How many tenants name a version, null for those that name none. */
async function tenantsByModel(
  terminal: Terminal,
): Promise<(name: ModelName, version: string | null) => number> {
  const config = readConfig(terminal.env)
  // Where no service ever ran there are no tenants, and asking would make a data directory.
  if (!existsSync(join(config.dataDirectory, "format.json"))) return () => 0
  const tenants = await withRecords(config, (records) => records.tenants())
  const chosen = tenants.map(({ settings }) => scoringSettings(readTenantSettings(settings)))
  return (name, version) =>
    chosen.filter(({ emailModel, phoneModel }) =>
      name === "email" ? emailModel === version : phoneModel === version,
    ).length
}

export function modelName(text: string): ModelName {
  const name = MODEL_NAMES.find((known) => known === text)
  if (name === undefined)
    throw new CommandError(`There is no model ${text}; there are email and phone`)
  return name
}

function wanted(models: Models, name: string, version: string | undefined): LoadedModel {
  const loaded = models.loaded(modelName(name))
  const found = loaded.find(({ model }) =>
    version === undefined ? model === currentModels[model.name] : model.version === version,
  )
  if (found !== undefined) return found
  const versions = loaded.map(({ model }) => model.version).join(", ")
  throw new CommandError(`There is no ${name} model ${version ?? ""}; there are ${versions}`)
}

/** The model of a version, or the one in a file. */
export function versionOrFile(models: Models, name: string, side: string): Model {
  if (/^\d+\.\d+$/.test(side)) return wanted(models, name, side).model
  const model = readModel(side, side)
  if (model.name !== modelName(name))
    throw new CommandError(`${side} holds the ${model.name} model`)
  return model
}

/** The member at `a.b` or `/a/b`. */
function partAt(model: Model, path: string): unknown {
  let part: unknown = model
  for (const name of path.split(/[./]/).filter((name) => name !== "")) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, name))
      throw new CommandError(`The ${model.name} model ${model.version} has no member ${path}`)
    part = (part as Record<string, unknown>)[name]
  }
  return part
}

function changeTable(changes: readonly ModelChange[]): string[] {
  const value = (member: unknown) => (member === undefined ? "-" : cut(JSON.stringify(member)))
  const rows = changes.map(({ path, before, after, level }) => [
    path,
    value(before),
    value(after),
    level,
  ])
  return table(["MEMBER", "BEFORE", "AFTER", "ASKS FOR"], rows)
}

/** A table of texts must stay a table; `assay model show` has them whole. */
function cut(text: string): string {
  return text.length <= CELL_MAX ? text : `${text.slice(0, CELL_MAX - 1)}…`
}

function verdict(before: Model, after: Model, changes: readonly ModelChange[]): string {
  const level = levelOf(changes)
  if (level === null) return "No member differs."
  const count = changes.length === 1 ? "1 member differs" : `${changes.length} members differ`
  const meaning =
    level === "MAJOR"
      ? "what inputs, stages or the scale mean changes, which asks for a new MAJOR version"
      : "only weights, tables or texts change, which asks for a new MINOR version"
  const right = isVersionedRight(before.version, after.version, level)
  return `${count}: ${meaning}${right ? "" : `, and ${after.version} is none after ${before.version}`}.`
}
