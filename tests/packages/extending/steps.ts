// Follows the steps of docs/extending.md in a copy of this repository, to the letter.
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
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

const BLOCK = /^```(?:ts|json) (?:new (?<fresh>\S+)|after (?<path>\S+) "(?<line>[^\n]*)")\n(?<code>.*?)^```$/gms // prettier-ignore

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
  const folder = mkdtempDisposableSync(join(tmpdir(), "assay-extending-"))
  for (const file of filesOfRepository())
    cpSync(join(root, file), join(folder.path, file), { recursive: true })
  // The packages of this repository are linked by relative paths, which lead into the copy.
  const modules = join(folder.path, "node_modules")
  mkdirSync(modules)
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "@assay") symlinkSync(join(root, "node_modules", name), join(modules, name))
  cpSync(join(root, "node_modules", "@assay"), join(modules, "@assay"), {
    recursive: true,
    verbatimSymlinks: true,
  })
  try {
    for (const step of steps) apply(step, folder.path)
  } catch (error) {
    folder.remove()
    throw error
  }
  return {
    path: folder.path,
    touched: [...new Set(steps.map(({ path }) => path))],
    run: (args, env = {}) =>
      execFileSync(process.execPath, ["--conditions=source", ...args], {
        cwd: folder.path,
        encoding: "utf8",
        env: { ...process.env, ...env, NODE_TEST_CONTEXT: undefined },
      }),
    [Symbol.dispose]: () => folder.remove(),
  }
}

function apply({ path, after, code }: Step, folder: string): void {
  const place = join(folder, path)
  if (after === null) {
    assert.ok(!existsSync(place), `${path} is said to be new, and is there already`)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, code)
    return
  }
  const lines = readFileSync(place, "utf8").split("\n")
  const found = lines.flatMap((line, n) => (line.includes(after) ? [n] : []))
  assert.equal(found.length, 1, `${path} has ${found.length} lines that hold ${after}`)
  lines.splice((found[0] ?? 0) + 1, 0, code.replace(/\n$/, ""))
  writeFileSync(place, lines.join("\n"))
}

/** What is in version control or could be, and what `npm ci` builds for the drop. */
function filesOfRepository(): string[] {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  })
  const built = ["packages/drop/browser", "packages/drop/programs"]
  return [...listed.trim().split("\n"), ...built].filter((file) => existsSync(join(root, file)))
}
