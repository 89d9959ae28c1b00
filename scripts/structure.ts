// npm run structure: how the code hangs together, in figures.
import { dirname } from "node:path/posix"
import ts from "typescript"
import { root } from "./repository.ts"
import { circles } from "./structure/circles.ts"
import { between, insidePackages, longestChain, packageOf } from "./structure/chains.ts"
import { placeOf, structureFaults } from "./structure/faults.ts"
import { type Import, importsOf, readSources } from "./structure/imports.ts"
import { markdownTable } from "./table.ts"

const sources = readSources(root)
const imports = importsOf(sources)
const folders = between(imports, dirname)
const packages = between(imports, (file) => placeOf(file).name)
const files = [...sources].map(([file, text]) => ({ name: file, lines: lineCount(text) }))
const functions = [...sources].flatMap(([file, text]) => functionsOf(file, text))
const upward = structureFaults(sources).filter((fault) => fault.includes(" imports "))

console.log(
  markdownTable(
    ["what", "how many", "which"],
    [
      ["packages", new Set(files.map(({ name }) => packageOf(name))).size, ""],
      ["files", files.length, ""],
      ["lines", files.reduce((sum, { lines }) => sum + lines, 0), ""],
      ["folders", new Set(files.map(({ name }) => dirname(name))).size, ""],
      ["folders in a knot", circles(folders).flat().length, circles(folders).join("; ")],
      ["circles of files", circles(imports).length, ""],
      ["imports upwards or on one floor", upward.length, ""],
      ["longest chain of packages", ...chain(packages)],
      ["longest chain of folders inside a package", ...chain(insidePackages(folders))],
      ["longest chain of folders across packages", ...chain(folders)],
      ...sizes("file", files),
      ...sizes("function", functions),
    ],
  ),
)

function chain(all: readonly Import[]): [length: number, way: string] {
  if (circles(all).length > 0) return [0, "none: there are circles"]
  const way = longestChain(all)
  return [way.length, way.map((each) => each.replace(/^packages\/|\/src/g, "")).join(" → ")]
}

interface Sized {
  readonly name: string
  readonly lines: number
}

function sizes(what: string, all: readonly Sized[]): [string, number, string][] {
  const sorted = all.toSorted((a, b) => a.lines - b.lines)
  const middle = sorted[Math.floor(sorted.length / 2)]
  const last = sorted.at(-1)
  return [
    [`lines of the median ${what}`, middle?.lines ?? 0, ""],
    [`lines of the longest ${what}`, last?.lines ?? 0, last?.name ?? ""],
  ]
}

function functionsOf(file: string, text: string): Sized[] {
  const found: Sized[] = []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) {
      const name = node.name?.getText() ?? ""
      found.push({ name: `${file} ${name}`, lines: lineCount(node.getText()) })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function lineCount(text: string): number {
  return text.trimEnd().split("\n").length
}
