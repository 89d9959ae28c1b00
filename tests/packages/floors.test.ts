import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { test } from "node:test"
import { floorRules, packages } from "../../floors.ts"
import { root } from "../../scripts/repository.ts"
import { between, insidePackages, longestChain } from "../../scripts/structure/chains.ts"
import { structureFaults } from "../../scripts/structure/faults.ts"
import { importsOf, readSources, specifiersOf } from "../../scripts/structure/imports.ts"

const sources = readSources(root)

/** An invented source, and what is wrong with it. */
interface Planted {
  readonly what: string
  readonly file: string
  readonly text: string
  readonly fault: RegExp
  /** Lint sees no program named by its path, and no circle. */
  readonly unseenByLint?: true
}

const SERVER = "packages/server/src"
const PLANTED: readonly Planted[] = [
  {
    what: "an upward import",
    file: `${SERVER}/http/planted.ts`,
    text: `import { runWorker } from "../run/worker.ts"\nconsole.log(runWorker)\n`,
    fault: /http\/planted\.ts imports .*run\/worker\.ts: that is upwards/,
  },
  {
    what: "an import of a folder of the same floor",
    file: `${SERVER}/feedback/planted.ts`,
    text: `import { evidence } from "../evidence/feature.ts"\nconsole.log(evidence)\n`,
    fault: /feedback\/planted\.ts imports .*evidence\/feature\.ts: both are on one floor/,
  },
  {
    what: "an upward import of a type",
    file: `${SERVER}/score/planted.ts`,
    text: `import type { Services } from "../run/app.ts"\nexport type Planted = Services\n`,
    fault: /score\/planted\.ts imports .*run\/app\.ts: that is upwards/,
  },
  {
    what: "an upward export of another's",
    file: `${SERVER}/score/email/planted.ts`,
    text: `export { bulkRoutes } from "../many/routes.ts"\n`,
    fault: /score\/email\/planted\.ts imports .*many\/routes\.ts: that is upwards/,
  },
  {
    what: "an import of a package that it must not know",
    file: "packages/drop/src/planted.ts",
    text: `import { openIndex } from "@assay/stores/open/open-index"\nconsole.log(openIndex)\n`,
    fault: /drop\/src\/planted\.ts imports .*open-index\.ts: drop does not know stores/,
  },
  {
    what: "an upward dynamic import",
    file: `${SERVER}/http/planted.ts`,
    text: `console.log(await import("../run/worker.ts"))\n`,
    fault: /http\/planted\.ts imports .*run\/worker\.ts: that is upwards/,
  },
  {
    what: "an upward program",
    file: `${SERVER}/http/planted.ts`,
    text: "console.log(new URL(`../run/records-thread${extname()}`, import.meta.url))\n",
    fault: /http\/planted\.ts imports .*records-thread\.ts: that is upwards/,
    unseenByLint: true,
  },
  {
    what: "a circle",
    file: `${SERVER}/http/json-body.ts`,
    text: `import "./ndjson-body.ts"\n`,
    fault: /a circle: .*json-body\.ts .*ndjson-body\.ts/,
    unseenByLint: true,
  },
]

test("every folder imports only lower floors, and nothing goes round", () => {
  assert.ok(sources.size > 500)
  assert.deepEqual(structureFaults(sources), [])
})

test("a change is followed through at most eight folders of a package", () => {
  const folders = between(importsOf(sources), dirname)
  const way = longestChain(insidePackages(folders))
  assert.ok(way.length <= 8, way.join(" → "))
  const top = way[0] ?? ""
  const planted = [...folders, { from: join(top, "planted"), to: top }]
  assert.equal(longestChain(insidePackages(planted)).length, way.length + 1)
})

for (const { what, file, text, fault } of PLANTED) {
  test(`${what} is found`, () => {
    const planted = new Map(sources).set(file, (sources.get(file) ?? "") + text)
    const found = structureFaults(planted)
    assert.ok(
      found.some((each) => fault.test(each)),
      found.join("\n"),
    )
  })
}

test("lint refuses what it can see of that, and nothing that stands in a folder now", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "assay-lint-"))
  t.after(() => rmSync(folder, { recursive: true }))
  const put = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const config = { categories: { correctness: "off" }, overrides: floorRules }
  put(".oxlintrc.json", JSON.stringify(config))
  // Several are planted in one file: each gets a name of its own, in the same folder.
  const planted = PLANTED.map(({ file, text, unseenByLint }, n) => {
    const name = join(dirname(file), `planted-${n}.ts`)
    put(name, text)
    return { name, isSeen: unseenByLint === undefined }
  })
  for (const name of ["feedback/feature.ts", "run/app.ts", "cli/doctor.ts"]) {
    const text = sources.get(`${SERVER}/${name}`)
    assert.ok(text !== undefined, `${name} is gone`)
    put(`${SERVER}/${name}`, text)
  }
  const { stdout } = spawnSync("oxlint", ["--format=json"], { cwd: folder, encoding: "utf8" })
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { filename: string }[] }
  assert.deepEqual(
    diagnostics.map(({ filename }) => filename).toSorted(),
    planted
      .filter(({ isSeen }) => isSeen)
      .map(({ name }) => name)
      .toSorted(),
  )
})

test("a package imports only what its manifest names", () => {
  for (const name of Object.keys(packages)) {
    const manifest = JSON.parse(
      readFileSync(join(root, "packages", name, "package.json"), "utf8"),
    ) as Record<string, Record<string, string> | undefined>
    const { dependencies = {}, devDependencies = {} } = manifest
    const strangers = [...sources]
      .filter(([file]) => file.startsWith(`packages/${name}/src/`))
      .flatMap(([file, text]) => specifiersOf(text).map((specifier) => ({ file, specifier })))
      .filter(({ specifier }) => !specifier.startsWith(".") && !isBuiltin(specifier))
      .filter(({ specifier }) => {
        const [scope = "", rest = ""] = specifier.split("/")
        const from = scope.startsWith("@") ? `${scope}/${rest}` : scope
        return !(from in dependencies) && !(from in devDependencies)
      })
    assert.deepEqual(strangers, [], name)
  }
})

test("every package stands in floors.ts", () => {
  const there = globSync("packages/*/package.json", { cwd: root }).map((file) => file.split("/")[1])
  assert.deepEqual(there.sort(), Object.keys(packages).sort())
})
