import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { pathToFileURL } from "node:url"

const temporary = mkdtempSync(join(tmpdir(), "assay-kept-code-"))
after(() => rmSync(temporary, { recursive: true }))
const module = new URL("./kept-code.ts", import.meta.url).href

/** A script as the build makes them. */
function writeScript(name: string, body: string): string {
  const file = join(temporary, name)
  writeFileSync(file, `"use strict";(function(require,__url,__file,__folder){${body}})`)
  return file
}

/** What the script exports as `said`, in a process that keeps code in a folder, or nowhere. */
function run(file: string, codeFolder: string | null): string {
  const program = `
import { runScript } from ${JSON.stringify(module)}
console.log(runScript(new URL(${JSON.stringify(pathToFileURL(file).href)})).said)`
  return execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    env: codeFolder === null ? {} : { NODE_COMPILE_CACHE: codeFolder },
  }).trim()
}

function codesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".code"),
  )
}

const SAYS = `function say(){return require("node:path").basename(__file)+" in "+(__folder.length>0)}
function never(){return "this function is not called and so not compiled"}
return {said:say(),never}`

test("a script runs with its own place and require, whether code can be kept or not", () => {
  const file = writeScript("alone-AAAA.script.js", SAYS)
  assert.equal(run(file, null), "alone-AAAA.script.js in true")
})

test("code is kept with the functions that were called, for its owner alone, and taken up", () => {
  const folder = join(temporary, "kept")
  const file = writeScript("kept-AAAA.script.js", SAYS)
  const said = run(file, folder)
  const [code = "", ...others] = codesIn(folder)
  assert.deepEqual(others, [])
  assert.equal(statSync(join(folder, code)).mode & 0o077, 0)
  // A string that only the body of a called function holds.
  assert.ok(readFileSync(join(folder, code), "latin1").includes("node:path"))
  const { mtimeMs } = statSync(join(folder, code))
  assert.equal(run(file, folder), said)
  assert.equal(statSync(join(folder, code)).mtimeMs, mtimeMs, "it was taken up, not made again")
})

test("code that is damaged or of another V8 is refused and made anew", () => {
  const folder = join(temporary, "damaged")
  const file = writeScript("damaged-AAAA.script.js", SAYS)
  const said = run(file, folder)
  const place = join(folder, codesIn(folder)[0] ?? "")
  const whole = readFileSync(place)
  // Inside a string that is said, so that code which ran with it would say something else.
  const flipped = Buffer.from(whole)
  flipped[whole.indexOf(" in ") + 1] = "o".charCodeAt(0)
  for (const damaged of [
    flipped,
    Buffer.alloc(whole.length),
    whole.subarray(0, whole.length / 2),
    Buffer.alloc(0),
    Buffer.from("x"),
  ]) {
    writeFileSync(place, damaged)
    assert.equal(run(file, folder), said)
    assert.equal(readFileSync(place).length, whole.length)
    assert.ok(!readFileSync(place).equals(damaged), "it was made anew")
  }
})

test("code of an older build of a program goes, that of other programs stays", () => {
  const folder = join(temporary, "older")
  for (const name of ["old-AAAA.script.js", "other-AAAA.script.js", "old-BBBB.script.js"])
    run(writeScript(name, SAYS), folder)
  assert.deepEqual(
    codesIn(folder).map((name) => name.replace(/.*\//, "")),
    ["old-BBBB.script.js.code", "other-AAAA.script.js.code"],
  )
})
