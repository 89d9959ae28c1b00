import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

/** Where the first of these commands is on this machine; null where there is none of them. */
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
