import { readFileSync } from "node:fs"
import { delimiter, join } from "node:path"

export const root = join(import.meta.dirname, "..")

/** The folders of the packages that are published; the console is built into the server. */
export const publishedPackages = ["packages/core", "packages/client", "packages/server"]

/**
 * The environment for a command of the repository: its own tools, and its own Node, come first.
 * They keep compiled code, which Node takes up again only for the very same source: a test run
 * starts hundreds of processes of the same modules, and compiling them is a third of the work of
 * most.
 */
export function toolEnvironment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const modules = join(root, "node_modules")
  return {
    ...process.env,
    PATH: `${join(modules, ".bin")}${delimiter}${process.env.PATH ?? ""}`,
    NODE_COMPILE_CACHE: join(modules, ".cache", "compiled-code"),
    ...extra,
  }
}

/** A parsed JSON file of the repository; the caller casts it to its shape. */
export function readRepositoryJson(file: string): unknown {
  return JSON.parse(readFileSync(join(root, file), "utf8"))
}
