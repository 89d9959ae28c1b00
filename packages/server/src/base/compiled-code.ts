import { enableCompileCache, getCompileCacheDir } from "node:module"
import { readConfig } from "./config.ts"
import { openDataDirectory } from "@assay/runtime/data-directory"

/**
 * Keeps compiled code in the data directory, which halves the time a start takes, where it is not
 * kept already (main.ts). Called before the modules that are worth it are imported. Not in a
 * temporary directory, Node's default: there others could plant code that we would run. Threads and
 * workers know the place by `env`, which they inherit, and so from their first module on.
 */
export function keepCompiledCode(env: Record<string, string | undefined>): void {
  if (getCompileCacheDir() !== undefined) return
  const { compiledCode } = openDataDirectory(readConfig(env).dataDirectory)
  enableCompileCache(compiledCode)
  env["NODE_COMPILE_CACHE"] ||= compiledCode
}
