import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

/** The path of the first of these commands on this machine; null if there is none. */
export function commandPath(commands: readonly string[]): string | null {
  const folders = (process.env.PATH ?? "").split(delimiter)
  const candidates = commands.flatMap((command) => folders.map((folder) => join(folder, command)))
  return candidates.find(isExecutable) ?? null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
