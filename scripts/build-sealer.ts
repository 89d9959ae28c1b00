// Writes packages/drop/programs/sealer-process.js: what a sealer runs, in one file. A sealer is a
// process for one message, and loading its two hundred modules one by one would be most of its
// work. Run by scripts/prepare.cjs, and before the server is packed.
import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { build } from "esbuild"
import { givenBuiltins } from "./given-builtins.ts"
import { root } from "./repository.ts"

const target = join(root, "packages", "drop", "programs", "sealer-process.js")

const { outputFiles } = await build({
  entryPoints: [join(root, "packages/drop/src/sealer/sealer-process.ts")],
  absWorkingDir: root,
  bundle: true,
  write: false,
  minifyWhitespace: true,
  minifySyntax: true,
  format: "esm",
  platform: "node",
  target: "node24",
  conditions: ["source"],
  tsconfigRaw: { compilerOptions: { alwaysStrict: true } },
  legalComments: "eof",
  // Packages that are not modules ask for Node's own with require.
  banner: {
    js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);',
  },
  plugins: [givenBuiltins()],
  logLevel: "silent",
})
const [output] = outputFiles
if (output === undefined) throw new Error("esbuild gave no output")
mkdirSync(dirname(target), { recursive: true })
// Whole or not at all: two builds may run beside each other.
writeFileSync(`${target}.${process.pid}`, output.contents)
renameSync(`${target}.${process.pid}`, target)
console.error(`Sealer built: ${output.contents.length} bytes`)
