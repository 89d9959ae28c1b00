import { join } from "node:path"
import { programOf } from "../packages/server/bin/checkout.js"
import { root } from "./repository.ts"

/** Where scripts/build-programs.ts puts what it builds. */
export const BUILT = join(root, "packages", "server", "built")

/** What runs `assay` in this checkout, for Node. */
export function assayProgram(): readonly string[] {
  args ??= ["--conditions=source", programOf(root)]
  return args
}

let args: readonly string[] | undefined
