import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { root } from "./repository.ts"

/** A test file and the modules for tests that it imports, also by way of one another. */
export function reached(file: string, found = new Set<string>()): Set<string> {
  found.add(file)
  for (const [, name = ""] of textOf(file).matchAll(/from "([^"]+)"/g)) {
    const module = name.startsWith(".")
      ? join(dirname(file), name)
      : name.replace(/^@assay\/(\w+)\/(testing\/.*)$/, "packages/$1/$2.ts")
    const isOfTests = /\/testing\/|\.test\.ts$|^tests\//.test(module)
    if (isOfTests && !found.has(module) && existsSync(join(root, module))) reached(module, found)
  }
  return found
}

export function textOf(file: string): string {
  return readFileSync(join(root, file), "utf8")
}
