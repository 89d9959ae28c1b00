import { enableCompileCache } from "node:module"
import { type Environment, readConfig } from "../config.ts"
import { openDataDirectory } from "../data-directory.ts"

/**
 * Keeps compiled code in the data directory, which halves the time a start takes. Called before the modules that are
 * worth it are imported. Not in a temporary directory, Node's default: there others could plant code that we would run.
 */
export function keepCompiledCode(env: Environment): void {
  enableCompileCache(openDataDirectory(readConfig(env).dataDirectory).compiledCode)
}
