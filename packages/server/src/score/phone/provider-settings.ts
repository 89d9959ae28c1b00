import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { type Explained, isExplained } from "@assay/runtime/explained"
import { readBaseUrl } from "@assay/runtime/outbound/base-url"
import { Pointer, Value } from "typebox/value"
import { type Config, wrongSettings } from "../../base/config.ts"
import { settingsFault, URL_TAKES } from "../providers/provider-kind.ts"
import { takesOf } from "../providers/takes.ts"
import { configuredKinds, ProviderSettings } from "./providers.ts"

/**
 * Who is asked about phone numbers; null: nobody. Throws Explained `config` where the settings
 * cannot be used. Not read with the other settings: most commands ask nobody, and the user who runs
 * them may lack the right to read a carrier's key.
 */
export function configuredProviders({
  providersFile,
}: Pick<Config, "providersFile">): ProviderSettings | null {
  if (providersFile === null) return null
  try {
    return readProviderSettings(providersFile)
  } catch (error) {
    if (!isExplained(error, "provider-settings")) throw error
    throw wrongSettings(`ASSAY_PROVIDERS names settings that cannot be used: ${error.message}`)
  }
}

/**
 * Reads the file, and checks that all it names can be used. Paths in it are taken from its own
 * folder; every path of what is returned is absolute.
 */
export function readProviderSettings(file: string): ProviderSettings {
  const document = parsed(file)
  if (!Value.Check(ProviderSettings, document)) throw faultOf(document)
  const here = dirname(resolve(file))
  const settings = located(ProviderSettings, document, here, "") as ProviderSettings
  for (const [kind, own] of configuredKinds(settings)) kind.check?.(own)
  return settings
}

/** The parts of a schema that lead to the files and URLs in a value. */
interface Located {
  readonly holds?: string
  readonly items?: object
  readonly properties?: Readonly<Record<string, object>>
}

/** The value with its files absolute and its URLs checked. */
function located(schema: object, value: unknown, here: string, place: string): unknown {
  const { holds, items, properties } = schema as Located
  if (holds === "file") return readable(value as string, here, place)
  if (holds === "base-url") return safeUrl(value as string, place)
  if (holds === "url") safeUrl(value as string, place)
  if (items !== undefined)
    return (value as unknown[]).map((each, at) => located(items, each, here, `${place}/${at}`))
  if (properties === undefined) return value
  return Object.fromEntries(
    Object.entries(value as object).map(([name, member]) => [
      name,
      located(properties[name] ?? {}, member, here, `${place}/${name}`),
    ]),
  )
}

function safeUrl(text: string, place: string): string {
  const url = readBaseUrl(text)
  if (url === null) throw settingsFault(`at ${place}: takes ${URL_TAKES}`)
  return url
}

function readable(path: string, here: string, place: string): string {
  const file = resolve(here, path)
  try {
    readFileSync(file)
  } catch {
    throw settingsFault(`at ${place}: names a file that cannot be read`)
  }
  return file
}

function parsed(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch {
    throw settingsFault("the file cannot be read")
  }
  try {
    return JSON.parse(text)
  } catch {
    throw settingsFault("the file is not JSON")
  }
}

/**
 * The first fault, by the member a person looks for: for a missing member the schema names the
 * object around it.
 */
function faultOf(document: unknown): Explained {
  const [fault] = Value.Errors(ProviderSettings, document)
  if (fault === undefined) throw new Error("settings that do not fit have no fault")
  const { instancePath: place, schemaPath, keyword, params } = fault
  if (keyword === "required" && "requiredProperties" in params) {
    const [name = ""] = params.requiredProperties
    return settingsFault(`at ${place}/${name}: is missing`)
  }
  if (keyword === "boolean") return settingsFault(`at ${place}: is not a setting`)
  if (keyword === "minProperties") return settingsFault(`at ${place}: takes at least one member`)
  // Name all choices, not the first one that did not fit.
  const schema = Pointer.Get(ProviderSettings, schemaPath.slice(1).replace(/\/anyOf\/\d+$/, ""))
  return settingsFault(`at ${place || "the top"}: takes ${takesOf(schema as object)}`)
}
