import assert from "node:assert/strict"
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { after, test } from "node:test"
import {
  ROW_WRITERS,
  type RowWriter,
  writeParquetRows,
} from "../../packages/corpus/testing/formats/test-rows.ts"
import { heldIn, startImport } from "./corpus.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-large-"))
after(() => rmSync(directory, { recursive: true, maxRetries: 5 }))
const secretFile = join(directory, "secret")
writeFileSync(secretFile, "5a".repeat(32), { mode: 0o600 })
const skip = process.env["ASSAY_SOAK"] === undefined ? "only in a soak" : false

const FILE_BYTES = 300e6
/** Of these lengths one after the other, so that some rows end where blocks end and most do not. */
const ROW_LENGTHS = [256, 257, 384, 256, 512, 300, 256]

function* textOf({ head, tail, row }: RowWriter): Generator<string, number> {
  yield head
  let rows = 0
  for (let bytes = 0; bytes < FILE_BYTES;) {
    let text = ""
    for (const length of ROW_LENGTHS) text += row(rows++, length)
    bytes += text.length
    yield text
  }
  yield tail
  return rows + (tail === "" ? 0 : 1)
}

/** Imports the file by the real command, and counts what it says and what the index holds. */
async function importAll(path: string, format: string, rows: number): Promise<string> {
  const data = join(directory, "data")
  const args = [path, "--source", "s", "--format", format]
  const running = startImport(args, { ASSAY_DATA: data, ASSAY_SECRET_FILE: secretFile })
  assert.equal(await running.ended, 0, running.output())
  const count = rows.toLocaleString("en")
  assert.match(running.output(), new RegExp(`^rows read +${count}$`, "m"))
  assert.match(running.output(), new RegExp(`^imported +${count}$`, "m"))
  assert.match(running.output(), new RegExp(`^identities +${count}$`, "m"))
  const { batches } = await heldIn(data, secretFile, 0)
  assert.deepEqual(
    batches.map(({ state, rows: held }) => [state, held]),
    [["live", rows]],
  )
  rmSync(data, { recursive: true })
  rmSync(path)
  return `${count} rows, ${running.output().trimEnd().split("\n").at(-1) ?? ""}`
}

for (const writer of ROW_WRITERS) {
  const { format, title } = writer
  test(
    `300 MB of ${format}, ${title}: every row is imported, each once`,
    { skip },
    async (context) => {
      const path = join(directory, "large")
      let rows = 0
      const counted = function* (): Generator<string> {
        rows = yield* textOf(writer)
      }
      await pipeline(Readable.from(counted()), createWriteStream(path))
      context.diagnostic(await importAll(path, format, rows))
    },
  )
}

/** About 300 MB of text, had it been written as lines. */
const PARQUET_ROWS = 10_000_000

test("10 million rows of Parquet: every row is imported, each once", { skip }, async (context) => {
  const path = join(directory, "large.parquet")
  await writeParquetRows(path, PARQUET_ROWS)
  context.diagnostic(await importAll(path, "parquet", PARQUET_ROWS))
})
