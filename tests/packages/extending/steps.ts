// Follows the steps of docs/extending.md in a copy of this repository, to the letter.
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { root } from "../../../scripts/repository.ts"

/** A step: a block of code whose head says where it goes. */
export interface Step {
  readonly path: string
  /** The line that it is put behind; null where the file is new. */
  readonly after: string | null
  readonly code: string
}

const BLOCK = /^```(?:ts|json) (?:new (?<fresh>\S+)|after (?<path>\S+) "(?<line>[^\n]*)")\n(?<code>.*?)^```$/gms // oxfmt-ignore

/** The steps below a heading of the second level of docs/extending.md, in their order. */
export function stepsOf(heading: string, page = readPage()): Step[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`))
  assert.ok(section !== undefined, `docs/extending.md has no section ${heading}`)
  return Array.from(section.matchAll(BLOCK), ({ groups = {} }) => ({
    path: groups["fresh"] ?? groups["path"] ?? "",
    after: groups["line"] ?? null,
    code: groups["code"] ?? "",
  }))
}

function readPage(): string {
  return readFileSync(join(root, "docs", "extending.md"), "utf8")
}

export interface Copy extends Disposable {
  readonly path: string
  /** The files that the steps made or changed. */
  readonly touched: readonly string[]
  /** Runs a program of Node in the copy, as from a checkout, and returns what it prints. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): string
}

/** A copy of the repository, as it is in the work tree, in which the steps were followed. */
export function follow(steps: readonly Step[]): Copy {
  assert.ok(steps.length > 0, "there are no steps to follow")
  const changes = changesBy(steps)
  const folder = mkdtempDisposableSync(join(tmpdir(), "assay-extending-"))
  const made = new Set<string>()
  const placeOf = (file: string): string => {
    const place = join(folder.path, file)
    const parent = dirname(place)
    if (!made.has(parent)) mkdirSync(parent, { recursive: true })
    made.add(parent)
    return place
  }
  for (const file of filesOfRepository()) copyFileSync(join(root, file), placeOf(file))
  for (const [file, text] of changes) writeFileSync(placeOf(file), text)
  // The packages of this repository are linked by relative paths, which lead into the copy.
  const modules = join(folder.path, "node_modules")
  mkdirSync(modules)
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "@assay") symlinkSync(join(root, "node_modules", name), join(modules, name))
  cpSync(join(root, "node_modules", "@assay"), join(modules, "@assay"), {
    recursive: true,
    verbatimSymlinks: true,
  })
  return {
    path: folder.path,
    touched: [...changes.keys()],
    run: (args, env = {}) =>
      execFileSync(process.execPath, ["--conditions=source", ...args], {
        cwd: folder.path,
        encoding: "utf8",
        env: { ...process.env, ...env, NODE_TEST_CONTEXT: undefined },
      }),
    [Symbol.dispose]: () => folder.remove(),
  }
}

/** The files that the steps make or change, in the order of the steps, with their text after. */
export function changesBy(steps: readonly Step[]): ReadonlyMap<string, string> {
  const changes = new Map<string, string>()
  for (const { path, after, code } of steps) {
    if (after === null) {
      const isThere = changes.has(path) || existsSync(join(root, path))
      assert.ok(!isThere, `${path} is said to be new, and is there already`)
      changes.set(path, code)
      continue
    }
    const lines = (changes.get(path) ?? readFileSync(join(root, path), "utf8")).split("\n")
    const found = lines.flatMap((line, n) => (line.includes(after) ? [n] : []))
    assert.equal(found.length, 1, `${path} has ${found.length} lines that hold ${after}`)
    lines.splice((found[0] ?? 0) + 1, 0, code.replace(/\n$/, ""))
    changes.set(path, lines.join("\n"))
  }
  return changes
}

/** What is in version control or could be, and what `npm ci` builds for the drop. */
function filesOfRepository(): string[] {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  })
  const built = [
    "packages/drop/browser",
    "packages/drop/programs",
    "packages/server/console",
  ].flatMap((folder) => globSync(`${folder}/**`, { cwd: root }))
  return [...listed.trim().split("\n"), ...built].filter((file) => isFile(join(root, file)))
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
