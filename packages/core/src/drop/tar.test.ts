import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import * as fc from "fast-check"
import { packMessage, unpackMessage } from "./envelope.ts"
import { writeManifest } from "./manifest.ts"
import { readTar, tarFrame, tarTrailer, writeTar } from "./tar.ts"
import { oneWay, refusedAs } from "../../testing/drop/test-messages.ts"

const BLOCK = 512
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const directory = mkdtempSync(join(tmpdir(), "assay-tar-"))
after(() => rmSync(directory, { recursive: true }))

const any = { allowed: /^[a-z.]{1,20}$/, membersMax: 100, bytesMax: 1_000_000 }
const manifest = writeManifest({
  v: 1,
  nid: "00".repeat(16),
  sealed_by: "sender",
  mode: "one-way",
  lang: "en",
  files: [],
})
const members = [
  { name: "manifest.json", bytes: manifest },
  { name: "message.txt", bytes: utf8("hello") },
]

/** The header of the message, changed by hand and with a checksum that fits again. */
function withHeader(change: (header: Uint8Array) => void): Uint8Array {
  const archive = writeTar(members, 65_536)
  const header = archive.subarray(2 * BLOCK, 3 * BLOCK)
  change(header)
  header.fill(0x20, 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.set(utf8(`${sum.toString(8).padStart(6, "0")}\0 `), 148)
  return archive
}
const put = (text: string, at: number) => (header: Uint8Array) => header.set(utf8(text), at)

test("an archive written piece by piece is the one written at once", () => {
  const pieces = members.flatMap(({ name, bytes }) => {
    const { header, padding } = tarFrame(name, bytes.length)
    return [header, bytes, padding]
  })
  const whole = Buffer.concat([...pieces, tarTrailer()])
  assert.ok(whole.equals(writeTar(members, whole.length)))
})

test("what was written is read back, whatever the members hold", () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z.]{1,20}$/), { maxLength: 5 })
  fc.assert(
    fc.property(names, fc.uint8Array({ maxLength: 3_000 }), (found, bytes) => {
      const written = found.map((name, i) => ({ name, bytes: bytes.subarray(i) }))
      assert.deepEqual(readTar(writeTar(written, 65_536), any), written)
    }),
    { seed: 6_001, numRuns: 200 },
  )
})

test("GNU tar lists our archive, without an owner, a time or a right of anybody else", () => {
  const file = join(directory, "ours.tar")
  writeFileSync(file, packMessage(oneWay("hello")))
  const listed = execFileSync("tar", ["-tvf", file, "--numeric-owner"], { encoding: "utf8" })
  const lines = listed.trim().split("\n")
  assert.deepEqual(
    lines.map((line) => line.split(/\s+/).at(-1)),
    ["manifest.json", "message.txt"],
  )
  for (const line of lines) assert.match(line, /^-rw------- 0\/0 +\d+ 1970-01-01 /)
})

test("an archive that GNU tar makes by the printed recipe is read", () => {
  for (const { name, bytes } of members) writeFileSync(join(directory, name), bytes)
  const options = "--format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=600"
  const archive = execFileSync("tar", [
    ...options.split(" "),
    "-C",
    directory,
    "-cf",
    "-",
    "manifest.json",
    "message.txt",
  ])
  const filled = new Uint8Array(65_536)
  filled.set(archive)
  assert.equal(unpackMessage(filled).message, "hello")
  assert.deepEqual(filled, writeTar(members, 65_536), "byte for byte what is written here")
})

test("T49: links, devices, directories and members of other formats are refused", () => {
  // Hard link, symbolic link, devices, directory, FIFO, contiguous, pax, GNU long names, sparse,
  // volume, incremental.
  for (const type of "1234567xgLKSVMDNA\0") {
    const archive = withHeader(put(type, 156))
    assert.throws(() => unpackMessage(archive), refusedAs("archive"))
  }
  assert.equal(unpackMessage(withHeader(put("0", 156))).message, "hello")
})

test("T49: a link name, a prefix and the magic of GNU are refused", () => {
  for (const change of [put("/etc/passwd", 157), put("folder", 345), put("ustar  \0", 257)]) {
    assert.throws(() => unpackMessage(withHeader(change)), refusedAs("archive"))
  }
})

test("T49: names that lead elsewhere are refused", () => {
  const names = [
    "../message.txt",
    "/message.txt",
    "./message.txt",
    "message.txt\u001b[2J",
    "attachment-4",
    "attachment-1.tar.gz",
    "attachment-1.JPG",
    "..",
    "message.txt/",
    "MANIFEST.JSON",
  ]
  for (const name of names) {
    const archive = withHeader((header) => header.fill(0, 0, 100).set(utf8(name)))
    assert.throws(() => unpackMessage(archive), refusedAs("archive"))
  }
})

test("T49: a member twice, also the manifest, is refused", () => {
  for (const twice of members) {
    const archive = writeTar([...members, twice], 65_536)
    assert.throws(() => unpackMessage(archive), refusedAs("archive"))
  }
})

test("T49: sizes that lie are refused before anything is allocated", () => {
  const sizes = [
    "77777777777\0",
    "00000200000\0",
    "\x80\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff",
  ]
  for (const size of [...sizes, "-0000000005\0", "0x000000005\0", "           \0"]) {
    const archive = withHeader((header) =>
      header.set(
        Uint8Array.from(size, (character) => character.charCodeAt(0)),
        124,
      ),
    )
    assert.throws(
      () => unpackMessage(archive),
      (error) => {
        return refusedAs("archive")(error) || refusedAs("size")(error)
      },
    )
  }
})

test("T49: a million members are refused at the sixth", () => {
  const many = Array.from({ length: 100 }, () => ({ name: "message.txt", bytes: utf8("") }))
  const archive = new Uint8Array(32 * 1_048_576)
  const hundred = writeTar(many, 65_536).subarray(0, 100 * BLOCK)
  for (let at = 0; at + hundred.length <= archive.length; at += hundred.length) {
    archive.set(hundred, at)
  }
  assert.throws(() => unpackMessage(archive), refusedAs("archive"))
})

test("T49: a checksum that does not fit is refused", () => {
  const archive = writeTar(members, 65_536)
  archive[100] = 0x37
  assert.throws(() => unpackMessage(archive), refusedAs("archive"))
})

test("T49: nothing can hide behind the end, between members or in a missing end", () => {
  const end = tarEnd()
  for (const at of [end, end + 2 * BLOCK, 65_535]) {
    const archive = writeTar(members, 65_536)
    archive[at] = 1
    assert.throws(() => unpackMessage(archive), refusedAs("archive"))
  }
  const slack = writeTar(members, 65_536)
  slack[3 * BLOCK + "hello".length] = 1
  assert.throws(() => unpackMessage(slack), refusedAs("archive"))
  for (const length of [0, 1, BLOCK, end, end + BLOCK, end + 2 * BLOCK + 1]) {
    const cut = writeTar(members, 65_536).subarray(0, length)
    assert.throws(() => unpackMessage(cut), refusedAs("archive"))
  }
})

test("T49: members in another order, or without a message, are refused", () => {
  const [first, second] = members
  assert.ok(first !== undefined && second !== undefined)
  for (const found of [[second, first], [first], [second], []]) {
    assert.throws(() => unpackMessage(writeTar(found, 65_536)), refusedAs("archive"))
  }
})

test("T49: no archive with random damage gives anything but the message or a refusal", () => {
  const position = fc.nat({ max: tarEnd() - 1 })
  fc.assert(
    fc.property(fc.array(fc.tuple(position, fc.nat({ max: 255 })), { minLength: 1 }), (damage) => {
      const archive = writeTar(members, 65_536)
      for (const [at, byte] of damage) archive[at] = byte
      let opened
      try {
        opened = unpackMessage(archive)
      } catch (error) {
        assert.ok(error instanceof Error && error.name === "EnvelopeFault")
        return
      }
      assert.equal(opened.files.length, 0)
      assert.ok(opened.message.length <= 10)
    }),
    { seed: 6_002, numRuns: 300 },
  )
})

function tarEnd(): number {
  return 4 * BLOCK
}
