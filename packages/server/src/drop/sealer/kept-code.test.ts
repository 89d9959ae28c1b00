import assert from "node:assert/strict"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { withKeptCode } from "./kept-code.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-kept-code-"))
after(() => rmSync(directory, { recursive: true, force: true }))

function keptFiles(): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).sort()
}

test("sealers are told of kept code once all of it is there, and a second loading writes nothing", async () => {
  const first = withKeptCode(process, directory)
  assert.equal(first.compiledCode(), null)
  await first.loading
  assert.equal(first.compiledCode(), directory)
  const kept = keptFiles()
  assert.ok(kept.length > 10, `${kept.length} files`)
  await withKeptCode(process, directory).loading
  assert.deepEqual(keptFiles(), kept)
})

test("without a place for it, or where loading fails, sealers start as ever", async () => {
  assert.equal(withKeptCode(process, undefined).compiledCode(), null)
  const broken = withKeptCode({ execPath: "/nonexistent", execArgv: [] }, directory)
  await broken.loading
  assert.equal(broken.compiledCode(), null)
})
