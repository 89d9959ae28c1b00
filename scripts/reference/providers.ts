import {
  PROVIDER_KINDS,
  ProviderSettings,
} from "../../packages/server/src/score/phone/providers.ts"
import { entriesOf, type Members, membersTable, type Member } from "./members.ts"
import { code, lines } from "./page.ts"

/** The settings of a kind of provider: an object, or a list of objects. */
interface KindSettings {
  readonly title?: string
  /** A paragraph after the tables. */
  readonly note?: string
  readonly items?: Members
}

export function providersPage(): string {
  return lines(
    "# Settings of providers",
    "`ASSAY_PROVIDERS` names a JSON file with the carriers and vendors that are asked about phone numbers. It is read once at start; what cannot be used stops the start and is named by its place, without its value. A member that is not here is refused. Paths of files are taken from the folder of the settings. Prices and caps are in one unit, whichever you choose; they are exact to a millionth of it. `assay providers list` prints what comes of the settings, `assay providers check` tries the credentials.",
    membersTable(ProviderSettings),
    "Every call counts with the most it can cost before it is made, answered or not. What would go past a cap is not asked, and its signals say `rate_limited`.",
    ...Object.entries(PROVIDER_KINDS).flatMap(([key, { settings }]) => kindSection(key, settings)),
  )
}

function kindSection(key: string, settings: object): string[] {
  const { title = key, note, items } = settings as KindSettings
  return [
    `## ${title}`,
    items === undefined ? `Members of ${code(key)}:` : `Each element of ${code(key)}:`,
    ...tables(items ?? (settings as Members)),
    ...(note === undefined ? [] : [note]),
  ]
}

/** The members of an object, then those of the objects in it. Objects of one form share a table. */
function tables(members: Members): string[] {
  const inner = entriesOf(members).filter(([, { properties }]) => properties !== undefined)
  const byForm = Map.groupBy(inner, ([, member]) => tables(member as Members).join("\n\n"))
  const named = (of: readonly [string, Member][]) => of.map(([name]) => code(name)).join(", ")
  return [
    membersTable(members),
    ...Array.from(byForm, ([form, of]) => `Members of ${named(of)}:\n\n${form}`),
  ]
}
