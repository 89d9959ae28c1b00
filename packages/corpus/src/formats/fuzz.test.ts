import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import fc from "fast-check"
import type { Detected, FoundFormat } from "./format.ts"
import { detectFormat } from "./formats.ts"
import { encodingOf } from "./encoding.ts"
import { GOLDEN_FILES, GOLDEN_FOLDER, readAll } from "../../testing/formats/read-all-suite.ts"

const seed = 20_261_115
const RUNS = process.env["ASSAY_SOAK"] === undefined ? 150 : 3_000

const DELIMITERS = [":", ";", "|", "\t", ",", " ", ": ", "| "]
const FORMATS: readonly FoundFormat[] = [
  ...DELIMITERS.map((delimiter) => ({ name: "combolist", delimiter }) as const),
  ...DELIMITERS.map((delimiter) => ({ name: "password-first", delimiter }) as const),
  ...DELIMITERS.map((delimiter) => ({ name: "url-login-password", delimiter }) as const),
  ...DELIMITERS.map((delimiter) => ({ name: "labelled-lines", delimiter }) as const),
  { name: "stealer-blocks" },
]
const golden = GOLDEN_FILES.map((name) => readFileSync(join(GOLDEN_FOLDER, name)))

/** Reads in every format. Nothing throws, and every line is accounted for. */
async function readInEveryFormat(bytes: Buffer, pieceBytes: number): Promise<void> {
  detectFormat("member", bytes, { map: {} })
  const encoding = encodingOf(bytes)
  for (const format of FORMATS) await readIn({ format, encoding }, bytes, pieceBytes)
}

async function readIn(detected: Detected, bytes: Buffer, pieceBytes: number): Promise<void> {
  const { lines, rows, rejects } = await readAll(bytes, detected, pieceBytes)
  const places = [...rows, ...rejects].map(({ line }) => line)
  assert.equal(new Set(places).size, places.length, "a line is counted once")
  assert.ok(places.every((line) => line >= 1 && line <= lines))
  // A record of a stealer takes several lines; everywhere else a line is a row or a reject.
  if (detected.format.name !== "stealer-blocks") assert.equal(places.length, lines)
}

const pieceBytes = fc.integer({ min: 1, max: 2000 })

test("any bytes are read in every format without a fault", async () => {
  const likely = fc.constantFrom(...Array.from(Buffer.from(":;|\t \r\n\0@<>\"'/+.=-ab"), Number))
  const byte = fc.oneof(fc.integer({ min: 0, max: 255 }), likely)
  const bytes = fc.array(byte, { maxLength: 300 }).map((values) => Buffer.from(values))
  await fc.assert(fc.asyncProperty(bytes, pieceBytes, readInEveryFormat), { seed, numRuns: RUNS })
})

test("golden files with bytes changed, taken out and doubled are read without a fault", async () => {
  const change = fc.record({
    kind: fc.constantFrom("change", "remove", "double", "end"),
    place: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    length: fc.integer({ min: 1, max: 40 }),
    byte: fc.integer({ min: 0, max: 255 }),
  })
  const mutated = fc
    .tuple(fc.constantFrom(...golden), fc.array(change, { minLength: 1, maxLength: 8 }))
    .map(([file, changes]) =>
      changes.reduce((bytes: Buffer, { kind, place, length, byte }) => {
        const at = Math.floor(place * bytes.length)
        const before = bytes.subarray(0, at)
        const after = bytes.subarray(at + length)
        const piece = bytes.subarray(at, at + length)
        if (kind === "change")
          return Buffer.concat([before, Buffer.from([byte]), bytes.subarray(at + 1)])
        if (kind === "remove") return Buffer.concat([before, after])
        if (kind === "double") return Buffer.concat([before, piece, piece, after])
        return before
      }, file),
    )
  await fc.assert(fc.asyncProperty(mutated, pieceBytes, readInEveryFormat), { seed, numRuns: RUNS })
})
