import {
  CarrierSettings,
  ProviderSettings,
  TwilioSettings,
} from "../../packages/server/src/score/phone/providers/provider-settings-schema.ts"
import { takesOf } from "../../packages/server/src/score/phone/providers/takes.ts"
import { code, lines, table } from "./page.ts"

/** What every member of the settings says of itself. */
interface Member {
  readonly description?: string
  readonly default?: string | number
}

interface Members {
  readonly properties: Readonly<Record<string, object>>
  readonly required?: readonly string[] | undefined
}

export function providersPage(): string {
  const { apis } = CarrierSettings.properties
  return lines(
    "# Settings of providers",
    "`ASSAY_PROVIDERS` names a JSON file with the carriers and vendors that are asked about phone numbers. It is read once at start; what cannot be used stops the start and is named by its place, without its value. A member that is not here is refused. Paths of files are taken from the folder of the settings. Prices and caps are in one unit, whichever you choose; they are exact to a millionth of it. `assay providers list` prints what comes of the settings, `assay providers check` tries the credentials.",
    membersTable(ProviderSettings),
    "Every call counts with the most it can cost before it is made, answered or not. What would go past a cap is not asked, and its signals say `rate_limited`.",
    "## A carrier",
    "Each element of `camara`:",
    membersTable(CarrierSettings),
    "## APIs of a carrier",
    table(
      ["Member of `apis`", "What it tells"],
      entriesOf(apis).map(([name, { description = "" }]) => [code(name), description]),
    ),
    "Of `sim_swap` and `device_swap`:",
    membersTable(apis.properties.sim_swap),
    "Of the others:",
    membersTable(apis.properties.roaming),
    "A call is one request to an API, with two exceptions: where a carrier answers `check` a change is looked for in up to three windows, and a tenure is asked for in up to two steps. Such a call counts with the price of all of them.",
    "## Twilio",
    "Members of `twilio`:",
    membersTable(TwilioSettings),
    "Members of `fields`:",
    membersTable(TwilioSettings.properties.fields),
  )
}

function membersTable(members: Members): string {
  return table(
    ["Member", "Takes", "Default", "Meaning"],
    entriesOf(members).map(([name, member]) => [
      code(name),
      takesOf(member),
      members.required?.includes(name) === true
        ? "must be given"
        : code(String(member.default ?? "")),
      member.description ?? "",
    ]),
  )
}

function entriesOf({ properties }: Members): [string, Member][] {
  return Object.entries(properties)
}
