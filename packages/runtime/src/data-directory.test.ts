import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { lockDataDirectory, openDataDirectory } from "./data-directory.ts"

const temporary = mkdtempSync(join(tmpdir(), "assay-directory-"))
process.on("exit", () => rmSync(temporary, { recursive: true, force: true }))

test("only one holds the lock, and it is free again after release and after kill -9", async (t) => {
  const { path } = openDataDirectory(join(temporary, "locked"))
  const lock = lockDataDirectory(path)
  assert.ok(lock !== null)
  assert.equal(lockDataDirectory(path), null)
  lock.release()

  const module = new URL("./data-directory.ts", import.meta.url).href
  // The child drops its reference to the lock and collects garbage: a lock must last as long as its
  // process.
  const script = `const { lockDataDirectory } = await import(${JSON.stringify(module)})
    const isMine = lockDataDirectory(${JSON.stringify(path)}) !== null
    for (let n = 0; n < 5; n++) { await new Promise(setImmediate); gc() }
    console.log(isMine)
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, [
    "--conditions=source",
    "--expose-gc",
    "--input-type=module",
    "-e",
    script,
  ])
  t.after(() => child.kill("SIGKILL"))
  const [said] = (await once(child.stdout, "data")) as [Buffer]
  assert.equal(said.toString().trim(), "true")
  assert.equal(lockDataDirectory(path), null)
  child.kill("SIGKILL")
  await once(child, "exit")
  const again = lockDataDirectory(path)
  assert.ok(again !== null)
  again.release()
})

test("a directory is its owner's alone, also where it was not before", () => {
  const path = join(temporary, "open")
  mkdirSync(path, { mode: 0o755 })
  openDataDirectory(path)
  assert.equal(statSync(path).mode & 0o777, 0o700)
})

test("what a directory was marked as stays, and a lost index is noticed", () => {
  const path = join(temporary, "marked")
  const directory = openDataDirectory(path)
  assert.equal(directory.demo, false)
  directory.markDemo()
  mkdirSync(directory.index)
  directory.markIndexed()
  assert.equal(openDataDirectory(path).demo, true)
  rmSync(directory.index, { recursive: true })
  assert.throws(() => openDataDirectory(path), /lost its index/)
})

test("a newer or damaged format file is refused", () => {
  const path = join(temporary, "formats")
  openDataDirectory(path)
  for (const text of ['{"format":3}', "", "{", "[]", '{"format":"2"}']) {
    writeFileSync(join(path, "format.json"), text)
    assert.throws(() => openDataDirectory(path), { code: "data-directory" }, text)
  }
})

test("a directory with keys of identity/v1 is refused as a whole, and stays as it was", () => {
  const path = join(temporary, "old-keys")
  openDataDirectory(path)
  const text = '{"format":1,"demo":false,"indexed":true}\n'
  writeFileSync(join(path, "format.json"), text)
  assert.throws(() => openDataDirectory(path), {
    code: "data-directory",
    message: `${path} holds keys of identity/v1, which this program cannot use and cannot convert. Name a new directory with ASSAY_DATA and import again.`,
  })
  assert.equal(readFileSync(join(path, "format.json"), "utf8"), text)
})
