import { type Static, type TObject, Type } from "typebox"
import { exactly, settingsFault } from "../settings/settings-file.ts"
import type { Destination, Sender, SinkKind } from "./destinations/destination.ts"
import { elastic } from "./destinations/elastic.ts"
import { file } from "./destinations/file.ts"
import { http } from "./destinations/http.ts"
import { sentinel } from "./destinations/sentinel.ts"
import { splunk } from "./destinations/splunk.ts"
import { stdout } from "./destinations/stdout.ts"
import { syslog } from "./destinations/syslog.ts"

/** Every kind of receiver, by its member of the settings. */
export const SINK_KINDS: Readonly<Record<string, SinkKind>> = {
  splunk,
  elastic,
  sentinel,
  http,
  syslog,
  file,
  stdout,
}

const SINKS_OF_A_KIND_MAX = 20

/** What every sink takes. */
export const common = {
  name: Type.String({
    takes: "1 to 32 of a-z, 0-9 and hyphens",
    pattern: "^[a-z0-9][a-z0-9-]{0,31}$",
    description:
      "Names the sink for ever: up to where it has events is kept by its name, and one of a new name begins with the next event.",
  }),
  identities: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Sends e-mail addresses and phone numbers too, of watch items whose tenant asked for `deliver_identity`. Without it they are taken out.",
    }),
  ),
}
const Common = Type.Object(common)

/** What one kind of sink takes, as a list. */
export function listOf({ settings }: SinkKind) {
  const { properties, ...rest } = settings as TObject & { readonly description?: string }
  const each = Type.Object({ ...common, ...properties }, exactly)
  const { description = "" } = rest
  return Type.Array(each, { minItems: 1, maxItems: SINKS_OF_A_KIND_MAX, description })
}

export type SinkSettings = Readonly<Record<string, readonly Static<typeof Common>[]>>
export const SinkSettings = Type.Object(
  Object.fromEntries(
    Object.entries(SINK_KINDS).map(([name, kind]) => [name, Type.Optional(listOf(kind))]),
  ),
  { ...exactly, minProperties: 1 },
)

export interface NamedSink {
  readonly name: string
  readonly kind: string
  readonly withIdentities: boolean
  readonly destination: Destination
}

/** Everybody whom the settings name. Sends nothing yet. Throws `settingsFault`. */
export function openDestinations(settings: SinkSettings, from: Sender): NamedSink[] {
  const opened = Object.entries(settings).flatMap(([kind, sinks]) =>
    sinks.map(({ name, identities = false, ...own }) => ({
      ...{ name, kind, withIdentities: identities },
      destination: (SINK_KINDS[kind] as SinkKind).open(own, from),
    })),
  )
  const names = opened.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw settingsFault(`two sinks have the name ${twice}`)
  return opened
}
