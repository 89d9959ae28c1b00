import { type Static, type TSchema, Type } from "typebox"
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
