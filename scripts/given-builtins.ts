import { builtinModules } from "node:module"
import process from "node:process"
import type { Plugin } from "esbuild"

/** Packages load these to have them, and the service calls none. */
const SELDOM: readonly string[] = ["node:https", "node:http2"]

const NAMES: ReadonlySet<string> = new Set(
  builtinModules.flatMap((name) => [name, name.replace(/^(?!node:)/, "node:")]),
)

/**
 * A module that imports one of Node's gets all of its members at once, and some of them load more
 * of Node: its client of `fetch` and its web cryptography, 90 ms of a start; promises and streams of
 * files, in every process and thread. As members of what Node gives, they are loaded when they are
 * used.
 */
export function givenBuiltins(): Plugin {
  return {
    name: "given builtins",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^[a-z]/ }, ({ path }) =>
        NAMES.has(path) ? { path: path.replace(/^(?!node:)/, "node:"), namespace: "given" } : null,
      )
      onLoad({ filter: /./, namespace: "given" }, ({ path }) => ({
        contents: `module.exports = ${SELDOM.includes(path) ? membersWhenUsed(path) : given(path)}`,
      }))
    },
  }
}

function given(name: string): string {
  return `process.getBuiltinModule("${name}")`
}

/** An object with the members of a module, which is loaded when the first one is used. */
function membersWhenUsed(name: string): string {
  const members = Object.keys(process.getBuiltinModule(name) ?? {})
  return `{${members.map((member) => `get ${member}() { return ${given(name)}.${member} }`).join()}}`
}
