import { globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path/posix"
import ts from "typescript"

/** One module that another names, by their paths from the repository's root. */
export interface Import {
  readonly from: string
  readonly to: string
}

/** The sources of all packages by their paths from the repository's root, without tests. */
export function readSources(root: string): Map<string, string> {
  const files = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root, exclude: ["**/*.test.ts"] })
  return new Map(files.sort().map((file) => [file, readFileSync(join(root, file), "utf8")]))
}

/**
 * Every import among these sources: types and dynamic ones, and programs that are named by their
 * place.
 */
export function importsOf(sources: ReadonlyMap<string, string>): Import[] {
  const found: Import[] = []
  for (const [from, text] of sources) {
    for (const specifier of specifiersOf(text)) {
      const to = targetOf(from, specifier, sources)
      if (to !== null && to !== from) found.push({ from, to })
    }
  }
  return found
}

/** By text: a test asks of all sources again for each one that it changes. */
const known = new Map<string, readonly string[]>()

/** All that a source names as another module, as it names it. */
export function specifiersOf(text: string): readonly string[] {
  let specifiers = known.get(text)
  if (specifiers === undefined) known.set(text, (specifiers = readSpecifiers(text)))
  return specifiers
}

function readSpecifiers(text: string): string[] {
  const imported = ts.preProcessFile(text, true, true).importedFiles.map((each) => each.fileName)
  const programs = text.matchAll(/new URL\(\s*["`](\.[^"`$]+)(?:\.ts["`]|\$\{)/g)
  const resolved = text.matchAll(/import\.meta\.resolve\("([^"]+)"\)/g)
  return [
    ...imported,
    ...[...programs].map(([, place = ""]) => `${place}.ts`),
    ...[...resolved].map(([, name = ""]) => name),
  ]
}

function targetOf(
  from: string,
  specifier: string,
  sources: ReadonlyMap<string, string>,
): string | null {
  if (specifier.startsWith(".")) return existing(normalize(join(dirname(from), specifier)))
  const [, name, rest = "index"] = /^@assay\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? []
  if (name === undefined) return null
  const place = `packages/${name}/src/${rest}`
  return existing(`${place}.ts`) ?? existing(`${place}/index.ts`)

  function existing(file: string): string | null {
    return sources.has(file) ? file : null
  }
}
