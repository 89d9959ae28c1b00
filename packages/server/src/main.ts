// Where `assay` starts. Compiled code is kept from here on, so everything else is
// imported after that.
import { accessSync, constants } from "node:fs"
import { enableCompileCache } from "node:module"
import { dirname, join } from "node:path"

/** A build makes this folder beside its programs. Where there is none, `serve` has another. */
const COMPILED = join(dirname(import.meta.filename), "compiled-code")

if (isOurs(COMPILED)) {
  process.umask(0o077)
  enableCompileCache(COMPILED)
  // Workers, threads and the drop inherit it.
  process.env["NODE_COMPILE_CACHE"] ||= COMPILED
}
const { run } = await import("./program.ts")
await run(process)

/** Another user's is left alone: it may be unreadable, and is theirs. */
function isOurs(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}
