import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Explained } from "@assay/runtime/explained"
import { readBaseUrl } from "@assay/runtime/outbound/base-url"
import type { Static, TSchema } from "typebox"
import { Pointer, Value } from "typebox/value"
import { takesOf } from "./takes.ts"

/** For settings in a file that cannot be used. Names the member, never its value. */
export function settingsFault(message: string): Explained {
  return new Explained("settings-file", message)
}

// What members of settings have in common. `takes` says of a text what it may be, to a person who
// got it wrong; other types are described by what the schema has anyway. `holds` says what to do
// with a text when settings are read. Every member also has a description, for the reference page.

/** A misspelt member must not pass for the default it hides. */
export const exactly = { additionalProperties: false }

const URL_TAKES = "an https:// URL without user, query or fragment (http:// only on this machine)"
const URL_MEMBER = { takes: URL_TAKES, maxLength: 2048 }
export const URL_OPTIONS = { ...URL_MEMBER, holds: "url" }
/** A URL that paths are put behind: it is read with a slash at its end. */
export const BASE_URL_OPTIONS = { ...URL_MEMBER, holds: "base-url" }
/** A file that must be readable, taken from the folder of the settings. */
export const FILE = {
  takes: "a file, from the folder of the settings",
  minLength: 1,
  holds: "file",
}
export const TEXT = { takes: "a text of 1 to 256 characters", minLength: 1, maxLength: 256 }

/**
 * Reads a file of settings, and checks that all it names can be used. Paths in it are taken from
 * its own folder; every path of what is returned is absolute. Throws `settingsFault`.
 */
export function readSettingsFile<Schema extends TSchema>(
  schema: Schema,
  file: string,
): Static<Schema> {
  const document = parsed(file)
  if (!Value.Check(schema, document)) throw faultOf(schema, document)
  return located(schema, document, dirname(resolve(file)), "") as Static<Schema>
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
  if (holds === "new-file") return resolve(here, value as string)
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
function faultOf(schema: TSchema, document: unknown): Explained {
  const [fault] = Value.Errors(schema, document)
  if (fault === undefined) throw new Error("settings that do not fit have no fault")
  const { instancePath: place, schemaPath, keyword, params } = fault
  if (keyword === "required" && "requiredProperties" in params) {
    const [name = ""] = params.requiredProperties
    return settingsFault(`at ${place}/${name}: is missing`)
  }
  if (keyword === "boolean") return settingsFault(`at ${place}: is not a setting`)
  if (keyword === "minProperties")
    return settingsFault(`at ${place || "the top"}: takes at least one member`)
  // Name all choices, not the first one that did not fit.
  const member = Pointer.Get(schema, schemaPath.slice(1).replace(/\/anyOf\/\d+$/, ""))
  return settingsFault(`at ${place || "the top"}: takes ${takesOf(member as object)}`)
}
