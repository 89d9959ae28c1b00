import assert from "node:assert/strict"
import fs, { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Writable } from "node:stream"
import { after, test, type TestContext } from "node:test"
import { deriveSecrets } from "@assay/runtime/secrets"
import { SeenDisk } from "../inputs/seen-disk.ts"
import { type Examined, examineInputs } from "./examine.ts"
import { readInputs, type ReadResult } from "./reader.ts"

const temporary = mkdtempSync(join(tmpdir(), "assay-small-files-"))
after(() => rmSync(temporary, { recursive: true }))
const { subkeys } = deriveSecrets(Buffer.alloc(32, 7))

const CALLS = [
  "openSync",
  "readSync",
  "fstatSync",
  "statSync",
  "readdirSync",
  "accessSync",
] as const
type Calls = Record<(typeof CALLS)[number], number>

function examined(paths: readonly string[], disk: SeenDisk): Promise<Examined> {
  const job = { paths, hints: { map: {} }, rowsShown: 0, nowMs: Date.now() }
  return examineInputs(job, () => undefined, disk)
}

function read(paths: readonly string[], looked: Examined, disk: SeenDisk): Promise<ReadResult> {
  const keyer = { subkeys, kind: "breach" as const, hours: 480_000, latestHours: 480_024 }
  const out = new Writable({ write: (_piece, _encoding, done) => done() })
  const rejects = join(temporary, "rejects.csv")
  const job = { paths, keyer, members: new Map(), threads: 1, rejects }
  return readInputs(job, looked, out, () => undefined, null, disk)
}

/** What is asked of the disk to import a folder that has a folder for each of so many files. */
async function callsFor(context: TestContext, files: number): Promise<Calls> {
  const folder = join(temporary, String(files))
  for (let n = 0; n < files; n++) {
    mkdirSync(join(folder, `machine-${n}`), { recursive: true })
    writeFileSync(join(folder, `machine-${n}`, "list.txt"), `user${n}@mail.example:secret-${n}\n`)
  }
  const mocks = CALLS.map((name) => context.mock.method(fs, name))
  syncBuiltinESMExports()
  try {
    const disk = new SeenDisk()
    const paths = [folder]
    const { tally } = await read(paths, await examined(paths, disk), disk)
    assert.equal(tally.rows, files)
    return Object.fromEntries(
      CALLS.map((name, n) => [name, mocks[n]?.mock.callCount()]),
    ) as unknown as Calls
  } finally {
    for (const { mock } of mocks) mock.restore()
    syncBuiltinESMExports()
  }
}

test("a small file is read for its digest, to look at it, and for its rows; its folder is listed before and after", async (context) => {
  const [few, many] = [await callsFor(context, 20), await callsFor(context, 60)]
  const each = Object.fromEntries(CALLS.map((name) => [name, (many[name] - few[name]) / 40]))
  assert.deepEqual(each, {
    ...{ openSync: 3, readSync: 3, fstatSync: 3 },
    ...{ statSync: 2, readdirSync: 2, accessSync: 1 },
  })
})

test("a file that is changed or added while the folder is read is noticed, whatever was seen before", async () => {
  const folder = join(temporary, "changed")
  mkdirSync(folder)
  for (const change of ["one.txt", "two.txt"]) {
    writeFileSync(join(folder, "one.txt"), "user@mail.example:secret\n")
    const disk = new SeenDisk()
    const paths = [folder]
    const looked = await examined(paths, disk)
    writeFileSync(join(folder, change), "user@mail.example:secret\nother@mail.example:other\n")
    await assert.rejects(read(paths, looked, disk), {
      message: "The input changed while it was read",
    })
  }
})
