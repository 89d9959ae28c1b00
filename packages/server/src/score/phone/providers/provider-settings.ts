import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Pointer, Value } from "typebox/value"
import { readBaseUrl } from "@assay/runtime/outbound/base-url"
import { type CarrierSettings, ProviderSettings, URL_TAKES } from "./provider-settings-schema.ts"
import { takesOf } from "./takes.ts"

export {
  type CarrierSettings,
  ProviderSettings,
  TWILIO_FIELDS,
  type TwilioField,
  type TwilioSettings,
} from "./provider-settings-schema.ts"

/** Settings of providers that cannot be used. Names the member, never its value. */
export class ProviderSettingsError extends Error {
  override readonly name = "ProviderSettingsError"
}

/**
 * Reads the file, and checks that all it names can be used. Paths in it are taken from its own
 * folder; every path of what is returned is absolute.
 */
export function readProviderSettings(file: string): ProviderSettings {
  const document = parsed(file)
  if (!Value.Check(ProviderSettings, document)) throw faultOf(document)
  const here = dirname(resolve(file))
  const { camara, twilio } = document
  const names = camara?.map(({ name }) => name) ?? []
  if (new Set(names).size < names.length)
    throw new ProviderSettingsError("at /camara: has two carriers of the same name")
  return {
    ...document,
    ...(camara && {
      camara: camara.map((carrier, at) => located(carrier, here, `/camara/${at}`)),
    }),
    ...(twilio && {
      twilio: {
        ...twilio,
        password_file: readable(twilio.password_file, here, "/twilio/password_file"),
        ...(twilio.base_url !== undefined && {
          base_url: safeUrl(twilio.base_url, "/twilio/base_url"),
        }),
      },
    }),
  }
}

function located(carrier: CarrierSettings, here: string, place: string): CarrierSettings {
  const { notification_token_file: token } = carrier
  if (readBaseUrl(carrier.token_url) === null)
    throw new ProviderSettingsError(`at ${place}/token_url: takes ${URL_TAKES}`)
  if (Object.keys(carrier.apis).length === 0 && token === undefined) {
    throw new ProviderSettingsError(
      `at ${place}/apis: takes at least one member where there is no notification_token_file`,
    )
  }
  return {
    ...carrier,
    base_url: safeUrl(carrier.base_url, `${place}/base_url`),
    private_key_file: readable(carrier.private_key_file, here, `${place}/private_key_file`),
    ...(token !== undefined && {
      notification_token_file: readable(token, here, `${place}/notification_token_file`),
    }),
  }
}

function safeUrl(text: string, place: string): string {
  const url = readBaseUrl(text)
  if (url === null) throw new ProviderSettingsError(`at ${place}: takes ${URL_TAKES}`)
  return url
}

function readable(path: string, here: string, place: string): string {
  const file = resolve(here, path)
  try {
    readFileSync(file)
  } catch {
    throw new ProviderSettingsError(`at ${place}: names a file that cannot be read`)
  }
  return file
}

function parsed(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch {
    throw new ProviderSettingsError("the file cannot be read")
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new ProviderSettingsError("the file is not JSON")
  }
}

/**
 * The first fault, by the member a person looks for: the schema speaks of the object around one
 * that is missing.
 */
function faultOf(document: unknown): ProviderSettingsError {
  const [fault] = Value.Errors(ProviderSettings, document)
  if (fault === undefined) throw new Error("settings that do not fit have no fault")
  const { instancePath: place, schemaPath, keyword, params } = fault
  if (keyword === "required" && "requiredProperties" in params) {
    const [name = ""] = params.requiredProperties
    return new ProviderSettingsError(`at ${place}/${name}: is missing`)
  }
  if (keyword === "boolean") return new ProviderSettingsError(`at ${place}: is not a setting`)
  if (keyword === "minProperties")
    return new ProviderSettingsError(`at ${place}: takes at least one member`)
  // A choice is told as a whole, not by the first word that did not fit.
  const schema = Pointer.Get(ProviderSettings, schemaPath.slice(1).replace(/\/anyOf\/\d+$/, ""))
  return new ProviderSettingsError(`at ${place || "the top"}: takes ${takesOf(schema as object)}`)
}
