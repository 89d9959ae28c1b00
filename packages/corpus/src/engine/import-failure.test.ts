import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { InputError } from "../inputs/member.ts"
import { readerFailure, sorterFailure } from "./import-failure.ts"
import { refuseForeignFile } from "./reject-file.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-failure-"))
after(() => rmSync(directory, { recursive: true }))

test("whatever breaks while reading is told by its code, never by its own words", () => {
  const named = new (class zqxjkv extends Error {})("zqxjkv")
  for (const [error, code, message] of [
    [new InputError("list.gz is damaged"), "input", "list.gz is damaged"],
    [new Error("zqxjkv"), "reader", "The input could not be read (Error)"],
    [new TypeError("zqxjkv"), "reader", "The input could not be read (TypeError)"],
    [named, "reader", "The input could not be read (Error)"],
    [system("EIO"), "reader", "The input could not be read (EIO)"],
    [system("zqxjkv"), "reader", "The input could not be read (Error)"],
    [system("EPIPE"), "sorter-gone", "The sorter is gone"],
    [system("ENOSPC"), "disk-full", "The disk is full"],
  ] as const) {
    const failure = readerFailure(error)
    assert.deepEqual([failure.code, failure.message], [code, message])
    assert.equal(failure.cause, undefined)
  }
})

test("the sorter's failures say what a person can do about them", () => {
  for (const [message, code] of [
    ['IO Error: Could not write file "/data/x": No space left on device', "disk-full"],
    ['IO Error: Could not write all bytes to file "/data/x": File too large', "disk-full"],
    ["Out of Memory Error: could not allocate block", "memory"],
    ["Out of Memory Error: failed to offload data block: max_temp_directory_size", "disk-full"],
    ["Parser Error: zqxjkv", "sorter"],
  ] as const) {
    const failure = sorterFailure(new Error(message))
    assert.equal(failure.code, code)
    assert.doesNotMatch(failure.message, /zqxjkv|\/data/)
  }
})

test("a list of rejected rows takes the place of one, and of no other file", () => {
  const path = join(directory, "rejects.csv")
  refuseForeignFile(path)
  writeFileSync(path, "file,line,reason\n1,1,blank\n")
  refuseForeignFile(path)
  writeFileSync(path, "ana@mail.example:zqxjkv\n")
  assert.throws(() => refuseForeignFile(path), { name: "InputError" })
})

function system(code: string): Error {
  return Object.assign(new Error("zqxjkv"), { code })
}
