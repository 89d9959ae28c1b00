// The prepack step of a published package, run in its folder: JavaScript and declarations into dist/.
import { copyFileSync, cpSync, globSync, readFileSync, rmSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join, relative, sep } from "node:path"
import ts from "typescript"
import { root } from "./repository.ts"
import { runtimeFiles } from "./runtime-files.ts"

interface Manifest {
  readonly name: string
  readonly exports?: object
  readonly dependencies?: Readonly<Record<string, string>>
}

// Tests, the suites they share and the programs and engines they start.
const testFiles = ["**/*.test.ts", "**/*-suite.ts", "**/suite-*.ts", "**/test-*.ts"]

const folder = process.cwd()
const source = join(folder, "src")
const output = join(folder, "dist")
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest

/** Nobody can import a package without exports, so nobody needs its types. */
const isImported = manifest.exports !== undefined

const files = globSync("**/*.ts", { cwd: source, exclude: testFiles }).map((file) =>
  join(source, file),
)
if (files.length === 0) fail([`${manifest.name} has no sources`])
const faults = undeclaredImports()
if (faults.length > 0) fail(faults)

rmSync(output, { recursive: true, force: true })
const program = ts.createProgram(files, compilerOptions())
// Whoever imports a package relies on its types, so they are checked once more where they are emitted; the types of a
// program that nobody imports were checked with the repository's.
const checked = isImported ? ts.getPreEmitDiagnostics(program) : program.getSyntacticDiagnostics()
const diagnostics = checked.filter((each) => !isAboutOwnManifest(each))
if (diagnostics.length > 0) fail([ts.formatDiagnostics(diagnostics, formatHost())])
program.emit(undefined, writeIntoOutput)
copyRuntimeFiles()
copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"))
console.error(`${manifest.name}: ${files.length} modules compiled into dist`)

/** The options the repository is checked with, made to emit. Imported JSON is emitted with the rest. */
function compilerOptions(): ts.CompilerOptions {
  const file = join(root, "tsconfig.json")
  const read = ts.readConfigFile(file, (name) => ts.sys.readFile(name))
  const { options, errors } = ts.parseJsonConfigFileContent(read.config, ts.sys, root)
  const unread = read.error === undefined ? errors : [read.error]
  if (unread.length > 0) fail([ts.formatDiagnostics(unread, formatHost())])
  return {
    ...options,
    noEmit: false,
    rootDir: source,
    outDir: output,
    declaration: isImported,
    noCheck: !isImported,
  }
}

/** Importing `../package.json` from src is sound although it lies above rootDir: dist is as deep as src. */
function isAboutOwnManifest({ code, messageText }: ts.Diagnostic): boolean {
  const fileNotUnderRootDir = 6059
  const text = ts.flattenDiagnosticMessageText(messageText, "\n")
  return code === fileNotUnderRootDir && text.includes(`'${join(folder, "package.json")}'`)
}

function writeIntoOutput(file: string, text: string): void {
  if (!file.startsWith(output + sep)) fail([`refusing to write ${file}, which is not in dist`])
  ts.sys.writeFile(file, text)
}

/** A published module may import only what npm installs with its package: no test tool, no neighbour's dependency. */
function undeclaredImports(): string[] {
  const declared = new Set(Object.keys(manifest.dependencies ?? {}))
  return files.flatMap((file) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(file, "utf8"))
    return importedFiles
      .map((imported) => imported.fileName)
      .filter((name) => !name.startsWith(".") && !isDeclared(name, declared))
      .map((name) => `${relative(folder, file)} would be published, but imports ${name}`)
  })
}

function isDeclared(specifier: string, declared: ReadonlySet<string>): boolean {
  if (isBuiltin(specifier)) return specifier !== "node:test"
  const parts = specifier.split("/")
  return declared.has(parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/"))
}

/** Copies the data files that sources open beside themselves. */
function copyRuntimeFiles(): void {
  for (const file of files) {
    const parsed = program.getSourceFile(file)
    const named = parsed === undefined ? [] : runtimeFiles(parsed)
    for (const target of named.filter((each) => each.startsWith(source + sep))) {
      if (target.endsWith(".ts")) {
        fail([
          `${relative(folder, file)} names ${relative(folder, target)}, which is not published`,
        ])
      }
      cpSync(target, join(output, relative(source, target)), { recursive: true })
    }
  }
}

function formatHost(): ts.FormatDiagnosticsHost {
  return {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => root,
    getNewLine: () => "\n",
  }
}

function fail(reasons: readonly string[]): never {
  console.error(reasons.join("\n"))
  process.exit(1)
}
