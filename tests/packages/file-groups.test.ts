import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, relative } from "node:path"
import { after, test } from "node:test"
import { fileGroups } from "../../scripts/file-groups.ts"
import { root } from "../../scripts/repository.ts"
import { innerRun } from "./inner-run.ts"

const place = mkdtempSync(join(tmpdir(), "assay-groups-"))
const folder = join(place, "tests")
mkdirSync(folder)
after(() => rmSync(place, { recursive: true }))

function write(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(
    file,
    `import { after, afterEach, before, beforeEach, suite, test } from "node:test"\n${text}`,
  )
  return relative(root, file)
}

test("files that share a process are counted one by one, their hooks are their own, and each fails as if alone", async () => {
  const other = 'import { other } from "./other.js"\n'
  writeFileSync(join(folder, "other.js"), "export const other = { loads: 0, hooks: [] }\n")
  const cleaned = join(folder, "cleaned")
  mkdirSync(join(folder, "testing"))
  writeFileSync(
    join(folder, "testing", "cleans.mjs"),
    `${other.replace("./", "../")}import { appendFileSync } from "node:fs"
     import { after } from "node:test"
     export const cleans = true
     after(() => appendFileSync(${JSON.stringify(cleaned)}, other.hooks.join() + ";"))`,
  )
  const cleans = 'import { cleans } from "./testing/cleans.mjs"\n'
  write(
    "a.test.mjs",
    `${cleans}${other}other.loads++
     beforeEach(() => other.hooks.push("a"))
     test("one", () => {})
     suite("inner", () => test("two", () => {}))
     test("left out", { skip: "for a reason" }, () => {})`,
  )
  write("b.test.mjs", 'test("passes", () => {})\ntest("fails", () => { throw new Error("b") })')
  write(
    "c.test.mjs",
    `${cleans}${other}test("sees no hook of another file, in the same process", () => {
       if (other.loads !== 1 || other.hooks.join() !== "a,a") throw new Error(other.hooks.join())
       other.hooks.push("c")
     })`,
  )
  write("d.test.mjs", 'test("passes", () => {})\nafter(() => { throw new Error("hook") })')
  write("e.test.mjs", 'import "./nowhere.js"\ntest("never runs", () => {})')
  write("f.test.mjs", "const waited = await 1\ntest(`alone ${waited}`, () => {})")

  write(
    "g.test.mjs",
    `suite("outer", () => {
       before(() => { throw new Error("prepared") })
       test("never runs", () => {})
     })`,
  )

  const pattern = `${relative(root, folder)}/*.test.mjs`
  const { run } = await innerRun(pattern, { timeoutMs: 60_000, together: { [pattern]: 9 } })
  assert.deepEqual(
    run.files.map(({ file, ok, passed, failed, skipped }) => [
      basename(file, ".test.mjs"),
      ok,
      passed,
      failed,
      skipped,
    ]),
    [
      ["a", true, 2, 0, 1],
      ["b", false, 1, 1, 0],
      ["c", true, 1, 0, 0],
      ["d", false, 1, 1, 0],
      ["e", false, 0, 1, 0],
      ["g", false, 0, 1, 0],
      ["f", true, 1, 0, 0],
    ],
  )
  assert.equal(run.ok, false)
  assert.equal(run.passed, 6)
  assert.equal(readFileSync(cleaned, "utf8"), "a,a,c;", "a helper cleans up once, after the last")
  assert.deepEqual(run.skips, [{ type: "skip", name: "left out", reason: "for a reason" }])
  assert.deepEqual(
    run.failures.map(({ file, error }) => [
      basename(file, ".test.mjs"),
      /\bb\b|hook|nowhere|cancelled|prepared/.exec(error)?.[0],
    ]),
    [
      ["b", "b"],
      ["d", "hook"],
      ["e", "nowhere"],
      ["g", "cancelled"],
      ["g", "prepared"],
    ],
  )
})

test("a file that changes its process, waits while it loads or has a helper that prepares each test is alone", () => {
  const helper = "export const helped = 1\n"
  writeFileSync(join(folder, "prepares.test.ts"), `${helper}beforeEach(() => undefined)`)
  mkdirSync(join(place, "scripts"))
  writeFileSync(join(place, "scripts", "waits.ts"), "export const written = await 1\n")
  // Asked for by the module, and waited for by what it declares.
  writeFileSync(
    join(folder, "cleans.test.ts"),
    `${helper}if (helped > 0)\n  after(async () => {\n    await 1\n  })\n\nfunction x() {\n}\n`,
  )
  writeFileSync(join(folder, "blocks.test.ts"), `${helper}if (helped > 0) {\n  await 1\n}\n`)
  const plain = [
    write("g.test.ts", 'import { helped } from "./cleans.test.ts"'),
    ...["h", "i"].map((name) => write(`${name}.test.ts`, 'test("x", () => {})')),
  ]
  const alone = [
    write("j.test.ts", 'process.env["TZ"] = "UTC"'),
    write("k.test.ts", "process.chdir(`/`)"),
    write("l.test.ts", "mock.timers.enable()"),
    write("m.test.ts", "const loaded = await import(`./other.js`)"),
    write("n.test.ts", 'import { helped } from "./prepares.test.ts"'),
    write("p.test.ts", 'import { helped } from "./blocks.test.ts"'),
    write("o.test.ts", 'import { written } from "../scripts/waits.ts"'),
  ]
  assert.deepEqual(fileGroups([...alone, ...plain], 2), [
    ...alone.map((file) => [file]),
    plain.slice(0, 2),
    plain.slice(2),
  ])
})
