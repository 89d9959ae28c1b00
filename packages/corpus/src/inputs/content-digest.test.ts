import assert from "node:assert/strict"
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { after, test } from "node:test"
import { type ContentDigest, contentDigest, inputStamp, namedInputs } from "./content-digest.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-digest-"))
after(() => rmSync(directory, { recursive: true }))

async function digestOf(paths: readonly string[]): Promise<ContentDigest> {
  return await contentDigest(namedInputs(paths))
}

function file(name: string, text: string): string {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}

test("the same bytes have the same digest, whatever the file is called and in whichever order it is named", async () => {
  const [one, other, copy] = [file("one", "1"), file("other", "2"), file("copy", "1")]
  const { sha256 } = await digestOf([one, other])
  assert.equal((await digestOf([other, copy])).sha256, sha256)
  assert.notEqual((await digestOf([one])).sha256, sha256)
  assert.notEqual((await digestOf([one, one])).sha256, sha256)
  writeFileSync(copy, "3")
  assert.notEqual((await digestOf([other, copy])).sha256, sha256)
})

test("in a folder every file counts, with its name", async () => {
  const folder = join(directory, "folder")
  mkdirSync(join(folder, "inner"), { recursive: true })
  writeFileSync(join(folder, "inner", "a"), "1")
  const { sha256 } = await digestOf([folder])
  renameSync(join(folder, "inner", "a"), join(folder, "inner", "b"))
  assert.notEqual((await digestOf([folder])).sha256, sha256)
})

test("a folder has one digest, however its path is spelled, and another one has another", async () => {
  const folder = join(directory, "spelled")
  mkdirSync(join(folder, "in"), { recursive: true })
  writeFileSync(join(folder, "in", "a"), "1")
  writeFileSync(join(folder, "b"), "2")
  const { sha256 } = await digestOf([folder])
  const fromHere = relative(process.cwd(), folder)
  for (const path of [`${folder}/`, `${folder}//`, `${folder}/.`, `${folder}/in/..`, fromHere])
    assert.equal((await digestOf([path])).sha256, sha256, path)
  assert.notEqual((await digestOf([`${folder}/in`])).sha256, sha256)

  const namesIn = (path: string): string[] =>
    namedInputs([path])
      .files.flat()
      .map((file) => file.within)
  const whole = namesIn(folder)
  const before = process.cwd()
  process.chdir(folder)
  const here = namesIn(".")
  process.chdir(before)
  assert.deepEqual(whole, ["/b", "/in/a"])
  assert.deepEqual(here, whole)
})

test("a file that was touched has another stamp; what is not there is named", async () => {
  const path = file("touched", "1")
  const { stamp } = await digestOf([path])
  assert.equal(inputStamp([path]), stamp)
  utimesSync(path, 1, 1)
  assert.notEqual(inputStamp([path]), stamp)
  const missing = join(directory, "missing")
  await assert.rejects(digestOf([missing]), {
    name: "InputError",
    message: `${missing} cannot be read`,
  })
})

test("a folder has the digest that imports of before gave it, and links in it are not followed", async () => {
  const folder = join(directory, "as before")
  mkdirSync(join(folder, "in", "deep"), { recursive: true })
  for (const [name, text] of [
    ["in/deep/a", "1"],
    ["in/b.txt", "2"],
    [".hid", "3"],
    ["in.txt", "4"],
    ["empty", ""],
    ["big", "x".repeat(1e6)],
  ] as const)
    writeFileSync(join(folder, name), text)
  symlinkSync("in", join(folder, "link"))
  const { sha256 } = await digestOf([folder])
  assert.equal(sha256, "946d2741e18a8f517ed6f8d1e066813cf25166b02b08ef301ca8369632c0b9b8")
})
