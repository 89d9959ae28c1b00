import assert from "node:assert/strict"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { fileURLToPath } from "node:url"
import { gzipSync, zstdCompressSync } from "node:zlib"
import fc from "fast-check"
import { deriveSecrets } from "@assay/runtime/secrets"
import { Keyer } from "../engine/keyer.ts"
import { InputError } from "../inputs/member.ts"
import { openInputs } from "../inputs/members.ts"
import { testZip } from "../../testing/inputs/test-zip.ts"
import { type ColumnMap, FIELDS } from "./columns.ts"
import type { FoundFormat } from "./format.ts"
import { detectFormat, FORMATS } from "./formats.ts"
import { memberOf, readDetected } from "../../testing/formats/test-read.ts"

const seed = 20261115
const soak = process.env["ASSAY_SOAK"] !== undefined
const FILES = soak ? 20_000 : 300
const ARCHIVES = soak ? 5000 : 100

const GOLDEN = fileURLToPath(new URL("golden/", import.meta.url))
const goldens = readdirSync(GOLDEN)
  .filter((name) => /^(?:csv|feed|json|ndjson)-/.test(name) && !name.endsWith(".expected.json"))
  .map((name) => readFileSync(join(GOLDEN, name)))

/** Bytes with some of them changed, cut out, doubled or put in. */
function broken(bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(40),
    put: fc.oneof(
      fc.uint8Array({ maxLength: 20 }).map((put) => Buffer.from(put)),
      fc
        .constantFrom('"', "\n", ",", '""', "{", "]", "\\", "\0", "\r")
        .map((put) => Buffer.from(put)),
    ),
  })
  return fc.tuple(bytes, fc.array(change, { minLength: 1, maxLength: 6 })).map(([whole, changes]) =>
    changes.reduce<Buffer>((now, { at, length, put }) => {
      const from = Math.floor(at * now.length)
      return Buffer.concat([now.subarray(0, from), put, now.subarray(from + length)])
    }, whole),
  )
}

const named: ColumnMap = Object.fromEntries(FIELDS.map((name, at) => [name, { at, name }]))
const TABLES = FORMATS.filter(({ hasColumns }) => hasColumns)
const formats: FoundFormat[] = [
  { name: "csv", delimiter: ",", columns: named, width: 3 },
  { name: "csv", delimiter: ";", columns: { email: { at: 0, name: "" } }, width: 1 },
  { name: "ndjson", columns: named },
  { name: "json", columns: named },
]
const { subkeys } = deriveSecrets(new Uint8Array(32))
const noon = Date.UTC(2026, 10, 15, 12) / 3_600_000

/** Rows that parsers give must be rows that can be kept, so they are keyed as in an import. */
async function read(bytes: Buffer, format: FoundFormat): Promise<void> {
  try {
    const { rows } = await readDetected(memberOf("x", bytes, 1000), { format, encoding: "utf-8" })
    let rejected = 0
    const keyer = new Keyer(
      { subkeys, kind: "breach", hours: noon, latestHours: noon + 24 },
      () => undefined,
      () => rejected++,
    )
    for (const row of rows) keyer.row(row.line, row)
    assert.equal(keyer.rows + rejected, rows.length)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
  }
}

test("no bytes make the reading of a tabular file fail in any way but one it names", async () => {
  const bytes = fc.oneof(
    broken(fc.constantFrom(...goldens)),
    fc.uint8Array({ maxLength: 3000 }).map((each) => Buffer.from(each)),
    fc
      .array(
        fc.constantFrom('"', "\n", ",", ";", "a@b.example", "{", "}", "[", "]", ":", "\\", "1"),
      )
      .map((parts) => Buffer.from(parts.join(""))),
  )
  await fc.assert(
    fc.asyncProperty(bytes, async (each) => {
      const detected = detectFormat("x", each, { map: {} }, TABLES)?.format ?? null
      if (detected !== null && detected.name !== "parquet") await read(each, detected)
      for (const format of formats) await read(each, format)
    }),
    { seed, numRuns: FILES },
  )
})

const folder = mkdtempSync(join(tmpdir(), "assay-fuzz-"))
after(() => rmSync(folder, { recursive: true }))

test("no bytes make the reading of an archive fail in any way but one it names, or go on without end", async () => {
  const text = Buffer.from("ann@example.com,x\n".repeat(50))
  const inner = testZip([{ name: "Passwords.txt", bytes: text }])
  const archives = [
    gzipSync(text),
    Buffer.concat([zstdCompressSync(text), zstdCompressSync(text)]),
    testZip([
      { name: "a.csv", bytes: text },
      { name: "b/inner.zip", bytes: inner, stored: true },
      { name: "c.gz", bytes: gzipSync(text), stored: true },
    ]),
  ]
  let whole = 0
  let refused = 0
  await fc.assert(
    fc.asyncProperty(broken(fc.constantFrom(...archives)), async (bytes) => {
      const path = join(folder, "input")
      writeFileSync(path, bytes)
      const inputs = openInputs([path])
      try {
        for await (const member of inputs.members()) {
          for await (const piece of member.bytes()) assert.ok(piece.length > 0)
        }
        whole++
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        refused++
      } finally {
        await inputs.close()
      }
    }),
    { seed, numRuns: ARCHIVES },
  )
  assert.ok(whole > 0 && refused > 0)
})
