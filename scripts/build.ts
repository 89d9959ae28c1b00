// The prepack step of a published package, run in its folder: JavaScript and declarations into
// dist/. The private packages it needs are carried inside it.
import { createHash } from "node:crypto"
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { isBuiltin } from "node:module"
import { basename, dirname, join, relative, resolve, sep } from "node:path"
import ts from "typescript"
import { root } from "./repository.ts"

const SCOPE = "@assay/"
/** Tests, and what esbuild makes scripts of. */
const NOT_PUBLISHED = ["**/*.test.ts", "browser/**"]
/** What the other build steps leave beside the sources of a package. */
const BUILT = ["browser", "programs"]

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports?: object
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** The package itself, or a private one that it carries. */
interface Part {
  /** Where its package.json is. */
  readonly folder: string
  readonly source: string
  readonly output: string
  readonly files: readonly string[]
}

const folder = process.cwd()
const manifest = readManifest(folder)
const dist = join(folder, "dist")

/** A package without exports cannot be imported, so its types are not needed. */
const isImported = manifest.exports !== undefined

const carried = privatePackages(manifest)
const parts = [partOf(folder, dist), ...carried.map((name) => partOf(...placesOf(name)))]
const files = parts.flatMap((part) => part.files)
if (files.length === 0) fail([`${manifest.name} has no sources`])
const faults = undeclaredImports()
if (faults.length > 0) fail(faults)

// To check and emit its types is most of the work, so a package that was made of the same is kept:
// before tests it is made for those who link to it, and by them once more to be packed.
const kept = join(root, "node_modules", ".cache", "built-packages", basename(folder))
const inputs = isImported && carried.length === 0 ? hashOf(inputFiles()) : null
if (inputs !== null && readOrNull(kept) === `${inputs} ${hashOf(filesIn(dist))}`) {
  console.error(`${manifest.name}: dist was made of the same modules`)
} else {
  rmSync(kept, { force: true })
  make()
  if (inputs !== null) {
    mkdirSync(dirname(kept), { recursive: true })
    writeFileSync(kept, `${inputs} ${hashOf(filesIn(dist))}`)
  }
}
copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"))

function make(): void {
  rmSync(dist, { recursive: true, force: true })
  for (const part of parts) {
    const roots = isImported ? part.files : [...part.files, ...importedJson(part)]
    const program = ts.createProgram(roots, compilerOptions(part))
    // Importers of a package rely on its types, so they are checked once more when they are
    // emitted. The types of a program that nobody imports were checked with the repository's.
    const checked = isImported
      ? ts.getPreEmitDiagnostics(program)
      : program.getSyntacticDiagnostics()
    const diagnostics = checked.filter((each) => !isAboutOwnManifest(each))
    if (diagnostics.length > 0) fail([ts.formatDiagnostics(diagnostics, formatHost())])
    program.emit(undefined, (file, text) => writeIntoOutput(part, file, text))
    copyRuntimeFiles(part, program)
  }
  console.error(`${manifest.name}: ${files.length} modules compiled into dist`)
}

/** All that decides what is made of a package that carries no other. */
function inputFiles(): string[] {
  const needed = Object.keys(manifest.dependencies ?? {})
    .filter((name) => name.startsWith(SCOPE))
    .map((name) => join(root, "packages", name.slice(SCOPE.length)))
  const own = [folder, ...needed].flatMap((each) => [
    join(each, "package.json"),
    ...filesIn(join(each, "src")),
  ])
  const shared = ["package-lock.json", "tsconfig.json"].map((name) => join(root, name))
  return [import.meta.filename, ...shared, ...own]
}

function filesIn(of: string): string[] {
  return globSync("**", { cwd: of, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function hashOf(names: readonly string[]): string {
  const hash = createHash("sha256")
  for (const name of names.toSorted()) {
    const content = readFileSync(name)
    hash.update(`${relative(root, name)} ${content.length}\n`).update(content)
  }
  return hash.digest("hex")
}

function readOrNull(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "utf8") : null
}

function readManifest(from: string): Manifest {
  return JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as Manifest
}

/**
 * The packages of this repository that it needs and that are published nowhere. They stand among
 * what its developers need: npm would look for a dependency in a registry.
 */
function privatePackages({ devDependencies = {} }: Manifest): string[] {
  return Object.keys(devDependencies)
    .filter((name) => name.startsWith(SCOPE))
    .map((name) => name.slice(SCOPE.length))
    .filter((name) => readManifest(join(root, "packages", name)).private === true)
}

/**
 * A private package has the same place in `dist` as in the repository, so that it finds the files
 * it opens beside itself.
 */
function placesOf(name: string): [folder: string, output: string] {
  return [join(root, "packages", name), join(dist, "packages", name, "dist")]
}

function partOf(from: string, output: string): Part {
  const source = join(from, "src")
  const names = globSync("**/*.ts", { cwd: source, exclude: NOT_PUBLISHED })
  return { folder: from, source, output, files: names.map((name) => join(source, name)) }
}

/**
 * The options the repository is checked with, made to emit. Imported JSON is emitted with the rest.
 */
function compilerOptions({ source, output }: Part): ts.CompilerOptions {
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
    // Without its types a module is emitted by itself, and nothing that it imports is read.
    ...(!isImported && { noCheck: true, noResolve: true, noLib: true, types: [] }),
  }
}

/** The data that modules of a part import, which no program finds that follows no import. */
function importedJson({ source, files }: Part): string[] {
  const named = files.flatMap((file) =>
    ts
      .preProcessFile(readFileSync(file, "utf8"))
      .importedFiles.filter(({ fileName }) => /^\..*\.json$/.test(fileName))
      .map(({ fileName }) => resolve(dirname(file), fileName)),
  )
  return [...new Set(named)].filter((file) => file.startsWith(source + sep))
}

/**
 * Importing `../package.json` from src is sound although it lies above rootDir: dist is as deep as
 * src.
 */
function isAboutOwnManifest({ code, messageText }: ts.Diagnostic): boolean {
  const fileNotUnderRootDir = 6059
  const text = ts.flattenDiagnosticMessageText(messageText, "\n")
  return code === fileNotUnderRootDir && text.includes(`'${join(folder, "package.json")}'`)
}

function writeIntoOutput({ output }: Part, file: string, text: string): void {
  if (!file.startsWith(output + sep)) fail([`refusing to write ${file}, which is not in dist`])
  ts.sys.writeFile(file, withCarried(file, text))
}

/** A private package cannot be found by its name, so its modules are imported by path. */
function withCarried(file: string, text: string): string {
  if (carried.length === 0) return text
  const name = new RegExp(`"${SCOPE}(${carried.join("|")})/([^"]+)"`, "g")
  return text.replaceAll(name, (_, of: string, module: string) => {
    const target = relative(dirname(file), join(dist, "packages", of, "dist", `${module}.js`))
    return JSON.stringify(target.startsWith(".") ? target : `./${target}`)
  })
}

/**
 * A published module may import only what npm installs with its package: no test tool, no
 * neighbour's dependency.
 */
function undeclaredImports(): string[] {
  const inside = carried.map((name) => SCOPE + name)
  const declared = new Set([...Object.keys(manifest.dependencies ?? {}), ...inside])
  return files.flatMap((file) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(file, "utf8"))
    return importedFiles
      .map((imported) => imported.fileName)
      .filter((name) => !name.startsWith(".") && !isDeclared(name, declared))
      .map((name) => `${relative(root, file)} would be published, but imports ${name}`)
  })
}

function isDeclared(specifier: string, declared: ReadonlySet<string>): boolean {
  if (isBuiltin(specifier)) return specifier !== "node:test"
  const parts = specifier.split("/")
  return declared.has(parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/"))
}

/**
 * Copies the data files that sources open beside themselves, and what a carried package has built.
 */
function copyRuntimeFiles(part: Part, program: ts.Program): void {
  for (const file of part.files) {
    const parsed = program.getSourceFile(file)
    const named = parsed === undefined ? [] : runtimeFiles(parsed)
    for (const target of named.filter((each) => each.startsWith(part.source + sep))) {
      if (target.endsWith(".ts")) {
        fail([`${relative(root, file)} names ${relative(root, target)}, which is not published`])
      }
      cpSync(target, join(part.output, relative(part.source, target)), { recursive: true })
    }
  }
  if (part.folder === folder) return
  for (const built of BUILT) {
    const from = join(part.folder, built)
    if (existsSync(from)) cpSync(from, join(part.output, "..", built), { recursive: true })
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

/**
 * The files a source names by `new URL("./file", import.meta.url)` and so expects beside it at run
 * time.
 */
function runtimeFiles(file: ts.SourceFile): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    const name = urlBesideModule(node)
    if (name !== null) found.push(resolve(dirname(file.fileName), name))
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

function urlBesideModule(node: ts.Node): string | null {
  if (!ts.isNewExpression(node) || !ts.isIdentifier(node.expression)) return null
  const [name, base] = node.arguments ?? []
  const isBeside =
    node.expression.text === "URL" &&
    base?.getText() === "import.meta.url" &&
    name !== undefined &&
    ts.isStringLiteralLike(name)
  return isBeside ? name.text : null
}
