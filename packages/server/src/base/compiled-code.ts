import { enableCompileCache, getCompileCacheDir } from "node:module"

/**
 * Keeps compiled code in the data directory, which halves the time a start takes, where it is not
 * kept already (main.ts). Called before the modules that are worth it are imported. Not in a
 * temporary directory, Node's default: there others could plant code that we would run. Threads and
 * workers know the place by `env`, which they inherit, and so from their first module on.
 */
export async function keepCompiledCode(env: Record<string, string | undefined>): Promise<void> {
  if (getCompileCacheDir() !== undefined) return
  // Imported only here: every command loads this file, and the settings load lmdb.
  const { readConfig } = await import("./config.ts")
  const { openDataDirectory } = await import("@assay/runtime/data-directory")
  const { compiledCode } = openDataDirectory(readConfig(env).dataDirectory)
  enableCompileCache(compiledCode)
  env["NODE_COMPILE_CACHE"] ||= compiledCode
}
