import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import {
  type EmailModel,
  emailModels,
  loadEmailModel,
  loadPhoneModel,
  ModelFault,
  type PhoneModel,
  phoneModels,
} from "@assay/core/score"
import { Explained } from "@assay/runtime/explained"
import { namesIn } from "@assay/runtime/if-present"
import { typedCommand } from "@assay/runtime/typed-command"

export const MODEL_NAMES = ["email", "phone"] as const
export type ModelName = (typeof MODEL_NAMES)[number]
export type Model = EmailModel | PhoneModel

export interface LoadedModel<M extends Model = Model> {
  readonly model: M
  /** The file in the data directory it was read from; null for one that is part of the program. */
  readonly file: string | null
  /** Of the document's content, however it is spelt. */
  readonly sha256: string
}

export interface Models {
  /**
   * The model of a version; for null, the one of tenants that chose none. Throws Explained
   * `model-not-loaded`.
   */
  email(version: string | null): EmailModel
  phone(version: string | null): PhoneModel
  /** All versions, oldest first. */
  loaded(name: ModelName): readonly LoadedModel[]
}

/**
 * The models that answer for a tenant that chose none: the newest that come with the program. A
 * document in the data directory is used only by those that name it, so that adding one changes
 * nobody's answers.
 */
export const currentModels = { email: newest(emailModels), phone: newest(phoneModels) }

type Shelf<M extends Model> = Map<string, LoadedModel<M>>

/**
 * The models of the program and those in `*.json` of the directory. One that cannot be used stops
 * the start, rather than leaving tenants without the model they chose.
 */
export function openModels(directory: string): Models {
  const email = shelfOf(emailModels)
  const phone = shelfOf(phoneModels)
  for (const file of documentFiles(directory)) {
    const model = readModel(join(directory, file), file)
    if (model.name === "email") place(email, model, file)
    else place(phone, model, file)
  }
  const shelves = { email, phone }
  return {
    email: (version) => taken("email", email, version, currentModels.email),
    phone: (version) => taken("phone", phone, version, currentModels.phone),
    loaded: (name) =>
      [...shelves[name].values()].sort((a, b) => byVersion(a.model.version, b.model.version)),
  }
}

/** Checks one document, whichever model it is for; `label` names it in the error. */
export function readModel(path: string, label: string): Model {
  let document: unknown
  try {
    document = JSON.parse(readFileSync(path, "utf8"))
  } catch (error) {
    const reason = error instanceof SyntaxError ? "is not JSON" : "cannot be read"
    throw new Explained("models", `${label} ${reason}${placeOf(error)}`, { cause: error })
  }
  const name = (document as { name?: unknown } | null)?.name
  if (name !== "email" && name !== "phone")
    throw new Explained("models", `${label}: /name: must be email or phone`)
  try {
    return name === "email" ? loadEmailModel(document) : loadPhoneModel(document)
  } catch (error) {
    if (!(error instanceof ModelFault)) throw error
    throw new Explained("models", `${label}: ${error.message}`, { cause: error })
  }
}

/**
 * Where V8 says the text stops being JSON; its message quotes the text, so no more is passed on.
 */
function placeOf(error: unknown): string {
  const found = /\(line \d+ column \d+\)/.exec((error as Error).message)
  return found === null ? "" : ` ${found[0]}`
}

function documentFiles(directory: string): string[] {
  try {
    return namesIn(directory).filter((name) => name.endsWith(".json"))
  } catch (error) {
    throw new Explained("models", "The directory of models cannot be read", { cause: error })
  }
}

/** Past decisions name a version: one version can never stand for two contents. */
function place<M extends Model>(shelf: Shelf<M>, model: M, file: string): void {
  const { name, version } = model
  const known = shelf.get(version)
  const sha256 = contentHash(model)
  if (known === undefined) {
    shelf.set(version, { model, file, sha256 })
  } else if (known.sha256 !== sha256) {
    throw new Explained(
      "models",
      `${file}: /version: ${name} ${version} already ${known.file === null ? "comes with the program" : `stands in ${known.file}`}, with other content; give this document a version of its own`,
    )
  }
}

function taken<M extends Model>(
  name: ModelName,
  shelf: Shelf<M>,
  version: string | null,
  usual: M,
): M {
  if (version === null) return usual
  const found = shelf.get(version)
  if (found === undefined)
    throw new Explained(
      "model-not-loaded",
      `The ${name} model ${version} is not loaded; ${typedCommand("model list")} names those that are`,
    )
  return found.model
}

function shelfOf<M extends Model>(shipped: Readonly<Record<string, M>>): Shelf<M> {
  return new Map(
    Object.entries(shipped).map(([version, model]) => [
      version,
      {
        model,
        file: null,
        // Few ask, and every process of the service opens the models.
        get sha256() {
          return contentHash(model)
        },
      },
    ]),
  )
}

function newest<M>(shipped: Readonly<Record<string, M>>): M {
  const [last] = Object.entries(shipped)
    .sort(([a], [b]) => byVersion(b, a))
    .map(([, model]) => model)
  if (last === undefined) throw new Error("The program comes without a model")
  return last
}

/** By MAJOR, then MINOR, as numbers: 1.10 comes after 1.9. */
export function byVersion(a: string, b: string): number {
  const [[majorA = 0, minorA = 0], [majorB = 0, minorB = 0]] = [a, b].map((version) =>
    version.split(".").map(Number),
  ) as [number[], number[]]
  return majorA - majorB || minorA - minorB
}

export function contentHash(model: Model): string {
  return hash("sha256", canonicalJson(model))
}

/** JSON with the members of every object in one order, so that equal contents are equal texts. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : member,
  )
}
