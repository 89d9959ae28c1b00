import { readFileSync } from "node:fs"
import type { Plugin } from "esbuild"

interface Change {
  readonly file: RegExp
  readonly text: string | RegExp
  readonly by: string
}

const CHANGES: readonly Change[] = [
  {
    // The public suffixes are prepared in a loop of the module itself, which V8 then optimises with
    // the whole module, 15 ms in a thread beside. As a function it is a small one.
    file: /\/tldts\/dist\/cjs\/index\.js$/,
    text: /^for \(let node = 0, offset = 0;.*?^\}$/ms,
    by: "(() => {$&})()",
  },
  {
    // Each of a hundred pieces of paths got a compiled function of its own, 20 ms of a start. The
    // two routes that must be fast are found without the router (http/direct.ts).
    file: /\/find-my-way\/lib\/node\.js$/,
    text: "const LONG_PREFIX_MIN_LENGTH = 16",
    by: "const LONG_PREFIX_MIN_LENGTH = 2",
  },
]

/** Packages without work at their start that costs more than it gives here. */
export function lighterPackages(): Plugin {
  return {
    name: "lighter packages",
    setup({ onLoad }) {
      for (const { file, text, by } of CHANGES)
        onLoad({ filter: file }, ({ path }) => {
          const before = readFileSync(path, "utf8")
          const contents = before.replace(text, by)
          if (contents !== before) return { contents }
          return { errors: [{ text: `${path} has changed: see scripts/lighter-packages.ts` }] }
        })
    },
  }
}
