import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { root } from "../../scripts/repository.ts"

const WIDTH = 100
const COMMENT = /^\s*(?:\/\/|\/\*|\*)/
/** What cannot be broken: an address, and a command that is pasted. */
const UNBROKEN = /:\/\/|^\/\/ {3}\S*.*\bnode --conditions=source /

function tooWide(text: string): string[] {
  const lines = text.split("\n").filter((line) => line.length > WIDTH && COMMENT.test(line))
  return lines.filter((line) => !UNBROKEN.test(line))
}

test("comments are wrapped at a hundred columns", () => {
  const listed = execFileSync("git", ["ls-files", "*.ts", "*.tsx"], { cwd: root, encoding: "utf8" })
  const files = listed.split("\n").filter((file) => file !== "" && existsSync(join(root, file)))
  assert.ok(files.length > 1000, String(files.length))
  const found = files.flatMap((file) =>
    tooWide(readFileSync(join(root, file), "utf8")).map((line) => `${file}: ${line}`),
  )
  assert.deepEqual(found, [])
})

test("a comment that is wider is found, and code and addresses are not", () => {
  const long = "word ".repeat(30)
  assert.equal(tooWide(`  // ${long}\n/** ${long}*/\n   * ${long}`).length, 3)
  assert.deepEqual(tooWide(`const a = "${long}"\n// https://one.example/${"a".repeat(100)}`), [])
})
