import type { Plugin } from "esbuild"

/**
 * A module that imports `node:http` or `node:crypto` gets all of its members at once, among them
 * those for which Node loads its client of `fetch` and its web cryptography: 90 ms of a start. As
 * members of what Node gives, they are loaded when they are used.
 */
export function givenBuiltins(): Plugin {
  return {
    name: "given builtins",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^(node:)?(http|crypto)$/ }, ({ path }) => ({
        path: path.replace(/^(?!node:)/, "node:"),
        namespace: "given",
      }))
      onLoad({ filter: /./, namespace: "given" }, ({ path }) => ({
        contents: `module.exports = process.getBuiltinModule("${path}")`,
      }))
    },
  }
}
