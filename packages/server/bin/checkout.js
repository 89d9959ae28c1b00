// What runs `assay` in a checkout. Kept to syntax that old Node versions parse, like the launcher.
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"

/**
 * The built program, or the sources where one of them is newer: whoever changes a source runs what
 * they wrote.
 */
export function programOf(checkout) {
  const packages = join(checkout, "packages")
  const built = join(packages, "server", "built", "main.js")
  const source = join(packages, "server", "src", "main.ts")
  const builtAt = changedAt(built)
  const folders = readdirSync(packages).map((name) => join(packages, name, "src"))
  return builtAt > 0 && folders.every((folder) => isOlder(folder, builtAt)) ? built : source
}

function isOlder(folder, than) {
  let entries
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    return true
  }
  return entries.every((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? isOlder(path, than) : changedAt(path) < than
  })
}

/** 0 where there is no such file. */
function changedAt(file) {
  try {
    return statSync(file).mtimeMs
  } catch (error) {
    return 0
  }
}
