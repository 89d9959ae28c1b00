import { readDataFile } from "./data-file.ts"

const names: ReadonlySet<string> = new Set(
  readDataFile(new URL("./role-mailboxes.csv", import.meta.url)).map(([name = ""]) => name),
)

/**
 * Whether a local part, its +tag left aside, stands for a function such as `billing` rather than a
 * person.
 */
export function isRoleMailbox(local: string): boolean {
  const plus = local.indexOf("+")
  return names.has(plus === -1 ? local : local.slice(0, plus))
}
