import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { contentDigest, inputStamp } from "./content-digest.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-digest-"))
after(() => rmSync(directory, { recursive: true }))

function file(name: string, text: string): string {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}

test("the same bytes have the same digest, whatever the file is called and in whichever order it is named", async () => {
  const [one, other, copy] = [file("one", "1"), file("other", "2"), file("copy", "1")]
  const { sha256 } = await contentDigest([one, other])
  assert.equal((await contentDigest([other, copy])).sha256, sha256)
  assert.notEqual((await contentDigest([one])).sha256, sha256)
  assert.notEqual((await contentDigest([one, one])).sha256, sha256)
  writeFileSync(copy, "3")
  assert.notEqual((await contentDigest([other, copy])).sha256, sha256)
})

test("in a folder every file counts, with its name", async () => {
  const folder = join(directory, "folder")
  mkdirSync(join(folder, "inner"), { recursive: true })
  writeFileSync(join(folder, "inner", "a"), "1")
  const { sha256 } = await contentDigest([folder])
  renameSync(join(folder, "inner", "a"), join(folder, "inner", "b"))
  assert.notEqual((await contentDigest([folder])).sha256, sha256)
})

test("a file that was touched has another stamp; what is not there is named", async () => {
  const path = file("touched", "1")
  const { stamp } = await contentDigest([path])
  assert.equal(await inputStamp([path]), stamp)
  utimesSync(path, 1, 1)
  assert.notEqual(await inputStamp([path]), stamp)
  const missing = join(directory, "missing")
  await assert.rejects(contentDigest([missing]), {
    name: "InputError",
    message: `${missing} cannot be read`,
  })
})
