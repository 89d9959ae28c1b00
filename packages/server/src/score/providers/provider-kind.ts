import { type Static, type TSchema, Type } from "typebox"
import { Explained } from "@assay/runtime/explained"
import { TIMEOUT_MS } from "./provider-limits.ts"
import type { PhoneSignalProvider } from "./signals.ts"

/**
 * A kind of provider, such as all carriers that offer CAMARA APIs. It is all that the rest of the
 * service knows of the kind: settings, checks, commands and the reference page follow from it.
 */
export interface ProviderKind<Schema extends TSchema = TSchema> {
  /** What its member of the settings takes. The `title` is its heading in the reference. */
  readonly settings: Schema
  /** Checks what a schema cannot say, files included. Throws `settingsFault`. */
  check?(settings: Static<Schema>): void
  /** Everybody the settings name, in the order in which they are asked. Asks nobody yet. */
  open(settings: Static<Schema>, now: () => number): readonly PhoneSignalProvider[]
}

/** For settings of providers that cannot be used. Names the member, never its value. */
export function settingsFault(message: string): Explained {
  return new Explained("provider-settings", message)
}

// What members of settings have in common. `takes` says of a text what it may be, to a person who
// got it wrong; other types are described by what the schema has anyway. `holds` says what to do
// with a text when settings are read. Every member also has a description, for the reference page.

/** A misspelt member must not pass for the default it hides. */
export const exactly = { additionalProperties: false }

export const URL_TAKES =
  "an https:// URL without user, query or fragment (http:// only on this machine)"
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
export const RANGE = { takes: "+ and 1 to 15 digits", pattern: "^\\+[1-9][0-9]{0,14}$" }
export const PRICE = { minimum: 0, maximum: 1_000 }

export const Timeout = Type.Optional(
  Type.Integer({
    minimum: 50,
    maximum: 30_000,
    default: TIMEOUT_MS,
    description: "Time in milliseconds a call has to be answered.",
  }),
)
