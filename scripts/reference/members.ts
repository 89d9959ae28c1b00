import { takesOf } from "../../packages/server/src/settings/takes.ts"
import { code, table } from "./page.ts"

/** The documented properties of a member of the settings. */
export interface Member {
  readonly description?: string
  readonly default?: string | number | boolean
  readonly properties?: Readonly<Record<string, object>>
}

export interface Members {
  readonly properties: Readonly<Record<string, object>>
  readonly required?: readonly string[] | undefined
}

/** What the members of an object of settings take, as a table. */
export function membersTable(members: Members): string {
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

export function entriesOf({ properties }: Members): [string, Member][] {
  return Object.entries(properties)
}
