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
 * of Node: its client of `fetch` and its web cryptography, 90 ms of a start; promises and streams
 * of files, in every process and thread. As members of what Node gives, they are loaded when they
 * are used.
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

/** What `membersGiven` calls, for the beginning of each file. */
export const GIVEN = "const __given=all=>({__proto__:all,default:all});"

/**
 * The files of one build, in which imports of Node's modules are not copied. esbuild makes an
 * object of each import, with a function for each member, and looks at all of them for that, which
 * loads more of Node. In its place the module's own members are inherited. Both functions' names
 * have one length, so that maps stay right.
 */
export function membersGiven(texts: readonly string[]): string[] {
  const defined = texts.flatMap((text) => [
    ...text.matchAll(/\b(?<name>\w+)=__commonJS\(\{"(?<given>given:)?/g),
  ])
  const namesOf = (given: boolean): Set<string | undefined> =>
    new Set(
      defined
        .filter(({ groups }) => (groups?.["given"] !== undefined) === given)
        .map(({ groups }) => groups?.["name"]),
    )
  // A name that also stands for another module in one of the files is left as it is.
  const names = namesOf(true).difference(namesOf(false))
  if (names.size === 0) return [...texts]
  const copied = new RegExp(`\\b__toESM\\((?=(?:${[...names].join("|")})\\(\\))`, "g")
  return texts.map((text) => text.replace(copied, "__given("))
}

function given(name: string): string {
  return `process.getBuiltinModule("${name}")`
}

/** An object with the members of a module, which is loaded when the first one is used. */
function membersWhenUsed(name: string): string {
  const members = Object.keys(process.getBuiltinModule(name) ?? {})
  return `{${members.map((member) => `get ${member}() { return ${given(name)}.${member} }`).join()}}`
}
