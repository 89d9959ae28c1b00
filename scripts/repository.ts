import { readFileSync } from "node:fs"
import { delimiter, join } from "node:path"

export const root = join(import.meta.dirname, "..")

/** The folders of the packages that are published; the console is built into the server. */
export const publishedPackages = ["packages/core", "packages/client", "packages/server"]

/**
 * Where tests keep compiled code, which Node takes up again only for the very same source. A run starts
 * hundreds of processes of the same modules; compiling them is half the work of most.
 */
export const compiledCode = join(root, "node_modules", ".cache", "compiled-code")

/** The environment for a command of the repository: its own tools, and its own Node, come first. */
export function toolEnvironment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const tools = join(root, "node_modules", ".bin")
  return { ...process.env, PATH: `${tools}${delimiter}${process.env.PATH ?? ""}`, ...extra }
}

/** A parsed JSON file of the repository; the caller says what shape it has. */
export function readRepositoryJson(file: string): unknown {
  return JSON.parse(readFileSync(join(root, file), "utf8"))
}
