// Pages that say what is true name the file that holds it, and here and there the very test.
import assert from "node:assert/strict"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { root } from "../../scripts/repository.ts"

const PAGES = ["docs/compliance.md", "docs/threat-model.md", "docs/operating.md"]
const NAMED = /`((?:packages|tests|scripts|docs)\/[\w./-]+\.\w+)`(?:\s+\("([^"]+)"\))?/g

interface Named {
  readonly page: string
  readonly file: string
  readonly test: string | undefined
}

const named: readonly Named[] = PAGES.flatMap((page) =>
  [...readFileSync(join(root, page), "utf8").matchAll(NAMED)].map(([, file = "", title]) => ({
    page,
    file,
    test: title?.replaceAll(/\s+/g, " "),
  })),
)

test("every file that a page names exists", () => {
  assert.ok(named.length > 100, String(named.length))
  for (const { page, file } of named) assert.ok(existsSync(join(root, file)), `${page}: ${file}`)
})

test("every test that a page names is in the file it names", () => {
  const tests = named.filter((each) => each.test !== undefined)
  assert.ok(tests.length > 10, String(tests.length))
  for (const { page, file, test: title = "" } of tests) {
    const text = readFileSync(join(root, file), "utf8")
    assert.ok(text.includes(title), `${page}: "${title}" is not in ${file}`)
  }
})

test("every row of the compliance page that promises something names what holds it", () => {
  const [, promised = ""] = readFileSync(join(root, "docs/compliance.md"), "utf8").split("\n## ")
  const rows = promised
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(2)
  assert.ok(rows.length >= 9, String(rows.length))
  for (const row of rows) assert.match(row, /`(packages|tests)\/[^`]+`[^|]*\|$/)
})

test("the index of decisions has each of them once, in their order, by the beginning of its title", () => {
  const folder = join(root, "docs/decisions")
  const files = readdirSync(folder).filter((name) => /^\d/.test(name))
  const rows = [
    ...readFileSync(join(folder, "README.md"), "utf8").matchAll(
      /^\| +(\d+) \| [\d-]+ \| \[(.+?)\]\((\S+?)\) +\|/gm,
    ),
  ]
  assert.deepEqual(
    rows.map(([, , , file]) => file),
    files.sort(),
  )
  for (const [, number = "", title = "", file = ""] of rows) {
    const [heading = ""] = readFileSync(join(folder, file), "utf8").split("\n")
    const whole = heading.replace(/^# \d+\. /, "")
    assert.ok(file.startsWith(number.padStart(4, "0")), file)
    assert.ok(whole.startsWith(title), `${file}: ${whole}`)
  }
})
