import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { after, test } from "node:test"
import { gzipSync, zstdCompressSync } from "node:zlib"
import { InputError } from "./member.ts"
import { type Inputs, openInputs } from "./members.ts"
import { testZip } from "../../testing/inputs/test-zip.ts"

const root = mkdtempSync(join(tmpdir(), "assay-inputs-"))
after(() => rmSync(root, { recursive: true }))

let places = 0
/** Writes files into a folder of their own and gives its path. */
function folderOf(files: Readonly<Record<string, Buffer | string>>): string {
  const folder = join(root, String(++places))
  mkdirSync(folder)
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), bytes)
  }
  return folder
}

function fileOf(name: string, bytes: Buffer | string): string {
  return join(folderOf({ [name]: bytes }), name)
}

interface Read {
  readonly members: Readonly<Record<string, string>>
  readonly skipped: Readonly<Record<string, string>>
  readonly inputs: Inputs
}

async function readAll(...paths: string[]): Promise<Read> {
  const inputs = openInputs(paths)
  try {
    const members: Record<string, string> = {}
    for await (const member of inputs.members()) {
      const pieces: Buffer[] = []
      for await (const piece of member.bytes()) pieces.push(piece)
      members[member.name] = Buffer.concat(pieces).toString("latin1")
    }
    const skipped = Object.fromEntries(inputs.skipped().map(({ name, reason }) => [name, reason]))
    return { members, skipped, inputs }
  } finally {
    await inputs.close()
  }
}

const refused = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof InputError, String(error))
  assert.match(error.message, words)
  return true
}

test("files are members in the order they were named, numbered from 1", async () => {
  const [b, a] = [fileOf("b.txt", "bb"), fileOf("a.txt", "a")]
  const inputs = openInputs([b, a])
  const found = []
  for await (const { name, number, path } of inputs.members()) found.push({ name, number, path })
  assert.deepEqual(found, [
    { name: "b.txt", number: 1, path: b },
    { name: "a.txt", number: 2, path: a },
  ])
  assert.equal(inputs.totalBytes, 3)
})

test("a member can be read again from its start, and counts once", async () => {
  const inputs = openInputs([fileOf("dump.zip", testZip([{ name: "a", bytes: "hello" }]))])
  for await (const member of inputs.members()) {
    for (const _ of [1, 2]) {
      const pieces = []
      for await (const piece of member.bytes()) pieces.push(piece)
      assert.equal(Buffer.concat(pieces).toString(), "hello")
    }
  }
  assert.ok(inputs.readBytes() > 0 && inputs.readBytes() <= inputs.totalBytes)
  await inputs.close()
})

test("a path that is not there changes nothing and is named", () => {
  assert.throws(() => openInputs([join(root, "absent.txt")]), refused(/absent\.txt cannot be read/))
})

test("a folder is walked in the order of names; hidden files and links are left out and counted", async () => {
  const folder = folderOf({ "b/2.txt": "2", "a.txt": "a", "b/1.txt": "1", ".hidden": "h" })
  symlinkSync(join(folder, "a.txt"), join(folder, "link.txt"))
  symlinkSync(folder, join(folder, "circle"))
  const { members, skipped, inputs } = await readAll(folder)
  const name = folder.slice(root.length + 1)
  assert.deepEqual(Object.entries(members), [
    [`${name}/a.txt`, "a"],
    [`${name}/b/1.txt`, "1"],
    [`${name}/b/2.txt`, "2"],
  ])
  assert.deepEqual(skipped, { ".hidden": "hidden", circle: "link", "link.txt": "link" })
  assert.equal(inputs.skippedCounts().get("link"), 2)
})

test("what packs a file is seen in its bytes, whatever it is called", async () => {
  const files = folderOf({
    "gzip.csv": gzipSync("one"),
    "zip.gz": testZip([{ name: "x", bytes: "two" }]),
    "zstd.txt": zstdCompressSync("three"),
    "plain.zip": "four",
  })
  const { members } = await readAll(files)
  assert.deepEqual(Object.values(members), ["one", "four", "two", "three"])
})

test("gzip members and zstd frames that follow each other are all read", async () => {
  const gz = fileOf("a.gz", Buffer.concat([gzipSync("a\n"), gzipSync("b\n")]))
  const zst = fileOf("b.zst", Buffer.concat([zstdCompressSync("c\n"), zstdCompressSync("d\n")]))
  const { members } = await readAll(gz, zst)
  assert.deepEqual(members, { "a.gz": "a\nb\n", "b.zst": "c\nd\n" })
})

test("archives inside an archive are read to the second level and no further", async () => {
  const deepest = testZip([{ name: "deep.txt", bytes: "deep" }])
  const middle = testZip([
    { name: "mid.txt", bytes: "mid" },
    { name: "third.zip", bytes: deepest },
    { name: "third.gz", bytes: gzipSync("third") },
  ])
  const outer = fileOf(
    "outer.zip",
    testZip([
      { name: "middle.zip", bytes: middle },
      { name: "packed.gz", bytes: gzipSync("packed") },
      { name: "packed.zst", bytes: zstdCompressSync("zst") },
    ]),
  )
  const { members, skipped } = await readAll(outer)
  assert.deepEqual(members, {
    "outer.zip/middle.zip/mid.txt": "mid",
    "outer.zip/packed.gz": "packed",
    "outer.zip/packed.zst": "zst",
  })
  assert.deepEqual(skipped, {
    "outer.zip/middle.zip/third.zip": "too-deep",
    "outer.zip/middle.zip/third.gz": "too-deep",
  })
})

test("members of nested archives can all be listed first and read later", async () => {
  const nested = (text: string): Buffer => testZip([{ name: "x", bytes: text }])
  const path = fileOf(
    "o.zip",
    testZip([
      { name: "1.zip", bytes: nested("one") },
      { name: "2.zip", bytes: nested("two") },
    ]),
  )
  const inputs = openInputs([path])
  const members = []
  for await (const member of inputs.members()) members.push(member)
  const read = []
  for (const member of members) {
    for await (const piece of member.bytes()) read.push(piece.toString())
  }
  assert.deepEqual(read, ["one", "two"])
  await inputs.close()
})

test("members that are encrypted, point outside or are packed in a foreign way are left out by name", async () => {
  const { members, skipped } = await readAll(
    fileOf(
      "odd.zip",
      testZip([
        { name: "good.txt", bytes: "good" },
        { name: "locked.txt", bytes: "x", encrypted: true },
        { name: "../../etc/passwd", bytes: "x" },
        { name: "/etc/passwd", bytes: "x" },
        { name: "C:\\windows\\x.txt", bytes: "x" },
        { name: "lzma.txt", bytes: "x", method: 14 },
        { name: "__MACOSX/._good.txt", bytes: "x" },
        { name: "inner.rar", bytes: "Rar!\x1a\x07\x01\x00" },
      ]),
    ),
  )
  assert.deepEqual(members, { "odd.zip/good.txt": "good" })
  assert.deepEqual(skipped, {
    "odd.zip/locked.txt": "encrypted",
    "odd.zip/../../etc/passwd": "unsafe-name",
    "odd.zip//etc/passwd": "unsafe-name",
    "odd.zip/C:/windows/x.txt": "unsafe-name",
    "odd.zip/lzma.txt": "unknown-method",
    "odd.zip/__MACOSX/._good.txt": "hidden",
    "odd.zip/inner.rar": "foreign-archive",
  })
})

test("archives that are not read here are refused with the command that unpacks them", async () => {
  const tar = Buffer.alloc(1024)
  tar.write("ustar", 257)
  const cases: [string, Buffer | string, RegExp][] = [
    ["a.rar", "Rar!\x1a\x07\x01\x00rest", /RAR archive.*unrar x a\.rar/],
    ["a.7z", Buffer.from("377abcaf271c0004", "hex"), /7z archive.*7z x a\.7z/],
    ["a.bz2", "BZh91AY&SYrest", /bzip2 file.*bunzip2 -k a\.bz2/],
    ["a.xz", Buffer.from("fd377a585a0000", "hex"), /xz file.*xz -dk a\.xz/],
    ["a.tar", tar, /tar archive.*tar -xf a\.tar/],
  ]
  for (const [name, bytes, words] of cases) {
    await assert.rejects(readAll(fileOf(name, bytes)), refused(words))
  }
})

test("a tar inside gzip is no list of addresses", async () => {
  const tar = Buffer.alloc(1024)
  tar.write("ustar", 257)
  const { members, skipped } = await readAll(fileOf("dump.tgz", gzipSync(tar)))
  assert.deepEqual(members, {})
  assert.deepEqual(skipped, { "dump.tgz": "foreign-archive" })
})

test("text that begins like a bzip2 file is text", async () => {
  const { members } = await readAll(fileOf("a.txt", "BZh9@example.com:secret"))
  assert.deepEqual(Object.keys(members), ["a.txt"])
})

test("archives that are cut off or damaged are refused", async () => {
  const text = Array.from({ length: 2000 }, (_, i) => `user${i * 7919}@example.com:pw${i}`).join(
    "\n",
  )
  const zip = testZip([{ name: "a.txt", bytes: text }])
  const stored = testZip([{ name: "a.txt", bytes: text, stored: true }])
  stored[2000] = (stored[2000] as number) ^ 1
  const gz = gzipSync(text)
  const zst = zstdCompressSync(text)
  const cases: [string, Buffer][] = [
    ["cut.zip", zip.subarray(0, zip.length - 30)],
    ["flipped.zip", stored],
    ["cut.gz", gz.subarray(0, gz.length - 20)],
    ["cut.zst", zst.subarray(0, zst.length - 20)],
    ["tail.zst", Buffer.concat([zst, Buffer.from("not a frame at all")])],
  ]
  for (const [name, bytes] of cases) {
    await assert.rejects(readAll(fileOf(name, bytes)), refused(/damaged/))
  }
})

test("what unpacks to more than 200 times its size is refused, at the first level and the second", async () => {
  const zeros = Buffer.alloc(8 << 20)
  const cases: [string, Buffer][] = [
    ["bomb.gz", gzipSync(zeros)],
    ["bomb.zst", zstdCompressSync(zeros)],
    ["bomb.zip", testZip([{ name: "zeros", bytes: zeros }])],
    ["nested.zip", testZip([{ name: "b.gz", bytes: gzipSync(zeros), stored: true }])],
  ]
  for (const [name, bytes] of cases) {
    await assert.rejects(readAll(fileOf(name, bytes)), refused(/more than 200 times/))
  }
})

test("members that stay within the bound one by one are refused where together they do not", async () => {
  // Each member is just over the size that is always allowed away from it.
  const member = Buffer.alloc(1 << 20)
  const files = Array.from({ length: 8 }, (_, i) => ({ name: `${i}`, bytes: member }))
  await assert.rejects(
    readAll(fileOf("many.zip", testZip(files))),
    refused(/many\.zip unpacks to more than 200 times/),
  )
})

test("a small file of equal bytes passes however well it packs", async () => {
  const { members } = await readAll(fileOf("small.gz", gzipSync(Buffer.alloc(1 << 20, "a"))))
  assert.equal(members["small.gz"]?.length, 1 << 20)
})

test("an archive of 10,000 files is read and one of 10,001 refused, over all archives of the import", async () => {
  const files = (count: number) =>
    testZip(Array.from({ length: count }, (_, i) => ({ name: `.${i}`, bytes: "", stored: true })))
  const half = fileOf("half.zip", files(5000))
  const most = await readAll(half, half)
  assert.equal(most.inputs.skippedCounts().get("hidden"), 10_000)
  const one = fileOf("one.zip", files(1))
  await assert.rejects(readAll(half, half, one), refused(/one\.zip brings.*above 10,000 files/))
  await assert.rejects(readAll(fileOf("more.zip", files(10_001))), refused(/above 10,000 files/))
})

test("of a stealer log only the passwords are taken, and what lies outside of logs as it is", async () => {
  const files = {
    "DE_01/Passwords.txt": "p1",
    "DE_01/Cookies/Chrome.txt": "c",
    "DE_01/Files.zip": testZip([{ name: "cv.txt", bytes: "x" }]),
    "US_02/All Passwords.txt": "p2",
    "US_02/System.txt": "s",
    "combo.txt": "combo",
  }
  const expected = ["p1", "p2", "combo"]
  const folder = await readAll(folderOf(files))
  assert.deepEqual(Object.values(folder.members), expected)
  assert.equal(folder.inputs.skippedCounts().get("other-part-of-a-log"), 3)
  const entries = Object.entries(files).map(([name, bytes]) => ({ name, bytes }))
  const zip = await readAll(fileOf("logs.zip", testZip(entries)))
  assert.deepEqual(Object.values(zip.members), expected)
  assert.equal(zip.inputs.skippedCounts().get("other-part-of-a-log"), 3)
})

test("a list beside passwords is taken, in a log and where nothing else is part of one", async () => {
  const beside = testZip([
    { name: "Passwords.txt", bytes: "p" },
    { name: "combo.txt", bytes: "combo" },
    { name: "lists/more.txt", bytes: "more" },
  ])
  const { members } = await readAll(fileOf("beside.zip", beside))
  assert.deepEqual(Object.values(members), ["p", "combo", "more"])
  const inLog = testZip([
    { name: "log/Passwords.txt", bytes: "p" },
    { name: "log/System.txt", bytes: "s" },
    { name: "log/combo.txt", bytes: "combo" },
    { name: "log/Desktop/notes.txt", bytes: "notes" },
  ])
  const log = await readAll(fileOf("in-log.zip", inLog))
  assert.deepEqual(Object.values(log.members), ["p", "combo"])
  assert.equal(log.inputs.skippedCounts().get("other-part-of-a-log"), 2)
})

test("reading archives writes nothing beside them", async () => {
  const folder = folderOf({ "a.zip": testZip([{ name: "n.zip", bytes: testZip([]) }]) })
  const before = readdirSync(tmpdir()).length
  await readAll(folder)
  assert.deepEqual(readdirSync(folder), ["a.zip"])
  assert.equal(readdirSync(tmpdir()).length, before)
})

test("reading ends early without a fault where nobody asks for more", async () => {
  const text = Buffer.alloc(4 << 20, "0123456789abcdef\n")
  const inputs = openInputs([
    folderOf({
      "a.gz": gzipSync(text),
      "b.zip": testZip([{ name: "x", bytes: text, stored: true }]),
    }),
  ])
  let first = 0
  for await (const member of inputs.members()) {
    for await (const piece of member.bytes()) {
      first += piece.length > 0 ? 1 : 0
      break
    }
  }
  assert.equal(first, 2)
  await inputs.close()
})
