// Writes packages/server/built: the programs of the service and the command, each in one file,
// beside the files they share. Loading six hundred modules one by one, and stripping their types,
// is most of the work of a start. Run by scripts/prepare.cjs when a source changed.
import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { build, type BuildOptions, type OutputFile, type Plugin } from "esbuild"
import { inFewFiles } from "./bundled-libraries.ts"
import { type CompiledSchemas, compileSchemas } from "./compile-schemas.ts"
import { gatherLists } from "../packages/server/src/score/email/lists/gather-lists.ts"
import { madeOf } from "../packages/server/src/score/email/lists/shipped-lists.ts"
import { GIVEN, givenBuiltins, membersGiven } from "./given-builtins.ts"
import { lmdbOfScripts } from "./lmdb-of-scripts.ts"
import { root } from "./repository.ts"
import { BUILT } from "./program.ts"

const KEPT_MS = 24 * 60 * 60_000
/** Where the programs keep compiled code (main.ts). */
const COMPILED = "compiled-code"
/** The table that shipped-lists.ts reads beside itself. */
const LISTS = "shipped-lists.bin"

/** What a start of the service loads, in few files; the command has it in a file of its own. */
const SERVE = "packages/server/src/cli/serve.ts"
/** The programs of every start. Their compiled code is kept with the functions a start calls. */
const SCRIPTS = [
  SERVE,
  "packages/server/src/run/worker-process.ts",
  "packages/server/src/run/records-thread.ts",
  "packages/server/src/run/decisions-thread.ts",
  "packages/drop/src/run/drop-process.ts",
  "packages/drop/src/store-thread-main.ts",
]
const entryPoints = ["packages/server/src/main.ts", SERVE, ...startedPrograms()]
const names = entryPoints.map((file) => basename(file, ".ts"))
if (new Set(names).size < names.length)
  throw new Error(`Two programs have one name: ${names.join(", ")}`)

const MAPPED_STACKS = join(root, "packages/runtime/src/mapped-stacks.ts")
const OPTIONS = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
  target: "node24",
  conditions: ["source"],
  sourcemap: "linked",
  sourcesContent: false,
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
  tsconfigRaw: { compilerOptions: { alwaysStrict: true } },
  // They load compiled code, or files of their own, from the folder they are in.
  external: ["@duckdb/node-bindings*", "pg-native", "@fastify/swagger-ui"],
} satisfies BuildOptions

// For esbuild, which is begun by the first build: collected a fourth as often, it takes a quarter
// less of the processor.
process.env["GOGC"] ??= "400"

const plugins = [
  compiledSchemas(await compileSchemas()),
  givenBuiltins(),
  filesOfSources(),
  await inFewFiles(),
  apart(SERVE),
]
// Each by itself: what one program shares with another would be a file more to load for both.
const built = await Promise.all(
  entryPoints.map((file) => (SCRIPTS.includes(file) ? bundleScript(file) : bundle(file))),
)

async function bundle(file: string): Promise<Output[]> {
  const { outputFiles } = await build({
    ...OPTIONS,
    entryPoints: [{ in: join(root, file), out: basename(file, ".ts") }],
    outdir: BUILT,
    splitting: true,
    external: [...OPTIONS.external, "lmdb"],
    inject: [MAPPED_STACKS],
    plugins,
    // Packages that are not modules ask for Node's own with require.
    banner: {
      js: `import{createRequire as requireFrom}from"node:module";const require=requireFrom(import.meta.url);${GIVEN}`,
    },
  })
  return outputsOf(outputFiles)
}

/** A program of a start: one script, and a module in its place that runs it (kept-code.ts). */
async function bundleScript(file: string): Promise<Output[]> {
  const name = basename(file, ".ts")
  const { outputFiles } = await build({
    ...OPTIONS,
    entryPoints: [{ in: join(root, file), out: name }],
    outdir: BUILT,
    entryNames: "[name]-[hash].script",
    format: "cjs",
    // As `require`: in a script, Node warns its user of `import()` as an experiment.
    supported: { "dynamic-import": false },
    inject: [MAPPED_STACKS],
    // Loaded from where npm put them, by services that import, have a database, send mail, or sign
    // people in by passkeys or elsewhere: in the script, every start would read them.
    external: [
      ...OPTIONS.external,
      "@duckdb/node-api",
      "@redis/client",
      "@simplewebauthn/server",
      "nodemailer",
      "openid-client",
      "pg",
    ],
    plugins: [lmdbOfScripts(), ...(file === SERVE ? [withoutRoutes()] : []), ...plugins],
    define: {
      "import.meta.url": "__url",
      "import.meta.filename": "__file",
      "import.meta.dirname": "__folder",
    },
    banner: {
      js: `"use strict";(function(require,__url,__file,__folder){${GIVEN}const module={exports:{}};`,
    },
    footer: { js: "return module.exports})" },
  })
  const files = outputsOf(outputFiles)
  const script = files.find((each) => each.file.endsWith(".js"))?.file ?? ""
  const { outputFiles: runner } = await build({
    ...OPTIONS,
    outfile: join(BUILT, `${name}.js`),
    stdin: {
      contents: `import { runScript } from "@assay/runtime/kept-code"
${file === SERVE ? "export const { serve } = " : ""}runScript(new URL("./${script}", import.meta.url))`,
      resolveDir: join(root, "packages/server"),
      sourcefile: "packages/server/src/run-script.ts",
    },
    plugins: [givenBuiltins()],
    banner: { js: GIVEN },
  })
  return [...files, ...outputsOf(runner)]
}

function outputsOf(files: readonly OutputFile[]): Output[] {
  const [scripts, others] = [true, false].map((wanted) =>
    files.filter(({ path }) => path.endsWith(".js") === wanted),
  ) as [OutputFile[], OutputFile[]]
  const texts = membersGiven(scripts.map(({ text }) => text))
  return [
    ...others.map(({ path, contents }) => ({ file: basename(path), contents })),
    ...scripts.map(({ path }, n) => ({
      file: basename(path),
      contents: Buffer.from(asciiOf(texts[n] ?? "")),
    })),
  ]
}

/**
 * A program is read as ASCII. esbuild escapes other letters, but for those of tagged templates,
 * whose tags could ask for them as they were written: none of ours does.
 */
function asciiOf(text: string): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  return text.replace(/[^\0-\x7f]/g, escaped)
}

interface Output {
  readonly file: string
  readonly contents: Uint8Array
}

// Shared files have a new name in every build, and programs are written last, so that a program
// that starts now finds all files it names. Files of older builds are kept for a day, for services
// that run from them.
mkdirSync(BUILT, { recursive: true })
rmSync(join(BUILT, COMPILED), { recursive: true, force: true })
mkdirSync(join(BUILT, COMPILED), { mode: 0o700 })
const isProgram = (file: string): boolean => names.includes(basename(file, ".js"))
const written = [{ file: LISTS, contents: madeOf(gatherLists()) }, ...built.flat()]
for (const { file, contents } of written.sort((a, b) => order(a.file) - order(b.file))) {
  writeFileSync(join(BUILT, `${file}.${process.pid}`), contents)
  renameSync(join(BUILT, `${file}.${process.pid}`), join(BUILT, file))
}
const now = new Set(written.map(({ file }) => file))
for (const file of readdirSync(BUILT)) {
  const path = join(BUILT, file)
  if (file !== COMPILED && !now.has(file) && statSync(path).mtimeMs < Date.now() - KEPT_MS)
    rmSync(path)
}
console.error(`Programs built: ${names.join(", ")}`)

/** The programs that sources start as threads and processes, by the place they name. */
function startedPrograms(): string[] {
  const sources = globSync("packages/*/src/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] })
  return sources.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8")
    const beside = text.matchAll(/new URL\(`\.\/(\S+)\$\{extname\(import\.meta\.filename\)\}`/g)
    const inPackages = text.matchAll(/import\.meta\.resolve\("@assay\/(\w+)\/([^"]+)"\)/g)
    const places = [
      ...[...beside].map(
        ([, name = ""]) => `${dirname(file)}/${name.replace(/\$\{\w+\}/, "*")}.ts`,
      ),
      ...[...inPackages].map(([, owner, path]) => `packages/${owner}/src/${path}.ts`),
    ]
    return globSync(places, { cwd: root })
  })
}

function order(file: string): number {
  return isProgram(file) ? 1 : 0
}

/**
 * Sources name files relative to themselves. In the build, too, a program lies beside the one that
 * starts it; all other files stay where they are.
 */
function filesOfSources(): Plugin {
  return {
    name: "files of sources",
    setup({ onLoad }) {
      onLoad({ filter: /packages\/[^/]+\/src\/.*\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8")
        if (!/import\.meta\.(url|dirname|resolve)/.test(text)) return null
        const there = relative(BUILT, dirname(path))
        const contents = text
          .replaceAll("import.meta.dirname", `import.meta.dirname + "/${there}"`)
          .replace(/new URL\("\.\/([^"]+)", import\.meta\.url\)/g, (name, file: string) =>
            file === LISTS ? name : `new URL("${there}/${file}", import.meta.url)`,
          )
          .replace(
            /import\.meta\.resolve\("@assay\/[^"]*\/([^/"]+)"\)/g,
            `new URL("./$1.js", import.meta.url).href`,
          )
        return { contents, loader: "ts" }
      })
    },
  }
}

/**
 * The primary opens the writers of the features and adds no routes, so its program comes without
 * them and all that they load.
 */
function withoutRoutes(): Plugin {
  return {
    name: "without routes",
    setup({ onLoad }) {
      onLoad({ filter: /(core\/src\/contract|server\/src\/[^/]+)\/[^/]+\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8")
        if (text.includes("import.meta")) return null
        if (!/\/features?\.ts$/.test(path)) return { contents: constantsIfUsed(text), loader: "ts" }
        if (/^ {2}(async )?routes\(.*\{$/m.test(text))
          throw new Error(`${path}: routes that are no function of their own stay in the primary`)
        const contents = constantsIfUsed(text.replace(/\broutes: \w+/g, "routes: null as never"))
        return { contents, loader: "ts" }
      })
    },
  }
}

/**
 * Marks schemas as free of effects, so that those which nothing uses go. esbuild cannot know it of
 * a spread or of a call. Sources are formatted, so that a declaration ends where indentation does.
 */
function constantsIfUsed(text: string): string {
  return text.replace(
    /^((?:export )?const \w+(?:: [^=\n]+)? =)\s((?:\{|\w+[.(]).*(?:\n(?: .*)?)*(?:\n[)}\]].*)?)$/gm,
    (_, name: string, value: string) => `${name} /* @__PURE__ */ (() => (${value}))()`,
  )
}

/** Loads a module that is imported dynamically from the file that was built of it. */
function apart(module: string): Plugin {
  const name = basename(module, ".ts")
  return {
    name: "apart",
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`/${name}\\.ts$`) }, ({ kind, path, resolveDir }) =>
        kind === "dynamic-import" && join(resolveDir, path) === join(root, module)
          ? { path: `./${name}.js`, external: true }
          : null,
      )
    },
  }
}

/** Validators and serialisers come as code, in place of what would make them. */
function compiledSchemas({ codes, compilersModule }: CompiledSchemas): Plugin {
  return {
    name: "compiled schemas",
    setup({ onLoad, onResolve }) {
      onLoad({ filter: /\/http\/schema-compilers\.ts$/ }, () => ({
        contents: compilersModule,
        resolveDir: root,
      }))
      onResolve({ filter: /^schema:/ }, ({ path }) => ({
        path: path.slice(7),
        namespace: "schema",
      }))
      onLoad({ filter: /./, namespace: "schema" }, ({ path }) => ({
        contents: codes[Number(path)] ?? "",
        resolveDir: root,
      }))
    },
  }
}
