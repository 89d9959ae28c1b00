import { createRequire } from "node:module"
import { dirname, relative } from "node:path"
import type { Plugin } from "esbuild"
import { BUILT } from "./program.ts"

/** Finds the compiled part of a package that has one for each kind of machine. */
interface NativeParts {
  path(folder: string): string
}

/**
 * lmdb as part of a script. From where npm put it, a start loads eight files, looks for the file
 * that was compiled for this machine and prepares an encoder of values, in two processes: 40 ms of
 * each. Here that file is known, and all our values are bytes.
 */
export function lmdbOfScripts(): Plugin {
  return {
    name: "lmdb of scripts",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^node-gyp-build-optional-packages$/ }, ({ importer }) => ({
        path: dirname(importer),
        namespace: "native",
      }))
      onLoad({ filter: /./, namespace: "native" }, ({ path: folder }) => {
        const parts = createRequire(`${folder}/`)("node-gyp-build-optional-packages") as NativeParts
        const file = relative(BUILT, parts.path(folder))
        return { contents: `module.exports = () => require(${JSON.stringify(file)})` }
      })
      onResolve({ filter: /\.node$/ }, ({ path }) => ({ path, external: true }))
      onResolve({ filter: /^msgpackr$/ }, () => ({ path: "Encoder", namespace: "unused" }))
      onLoad({ filter: /./, namespace: "unused" }, () => ({
        contents:
          'export class Encoder { constructor() { throw new Error("All values are bytes") } }',
      }))
    },
  }
}
