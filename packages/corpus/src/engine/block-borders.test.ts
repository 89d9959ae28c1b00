import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Writable } from "node:stream"
import { after, test } from "node:test"
import { deriveSecrets } from "@assay/runtime/secrets"
import { BLOCK_BYTES } from "../formats/row-bytes.ts"
import { ROW_WRITERS, writeParquetRows } from "../../testing/formats/test-rows.ts"
import { examineInputs } from "./examine.ts"
import { readInputs, type ReadTally } from "./reader.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-borders-"))
after(() => rmSync(directory, { recursive: true }))
const { subkeys } = deriveSecrets(Buffer.alloc(32, 7))

/** Divides a block, so that a row ends where a block does. */
const ROW_BYTES = 512
const ROWS = (3 * BLOCK_BYTES) / ROW_BYTES + 3
/** Starting one takes longer than reading a file. */
const THREADS = process.env["ASSAY_SOAK"] === undefined ? 1 : 2

/** Reads a file as an import does, by the threads that take its blocks away. */
async function read(path: string, format: string): Promise<Pick<ReadTally, "rows" | "rejects">> {
  const look = { paths: [path], hints: { map: {} }, rowsShown: 0, nowMs: Date.now() }
  const examined = await examineInputs(look)
  assert.deepEqual(
    examined.members.map(({ detected }) => detected?.format.name),
    [format],
  )
  const hours = 480_000
  const keyer = { subkeys, kind: "breach" as const, hours, latestHours: hours + 24 }
  const rejects = join(directory, "rejects.csv")
  const job = { paths: [path], keyer, members: new Map(), threads: THREADS, rejects }
  const out = new Writable({ write: (_piece, _encoding, done) => done() })
  const { tally } = await readInputs(job, examined, out, () => undefined)
  const { rows, rejects: rejected } = tally
  return { rows, rejects: rejected }
}

for (const writer of ROW_WRITERS) {
  const { format, title, head, tail, row } = writer
  test(`${format}, ${title}: a file whose rows end where its blocks end is read in full`, async () => {
    const path = join(directory, `${format}.txt`)
    const first = row(0, ROW_BYTES - head.length)
    const rest = Array.from({ length: ROWS - 1 }, (_, n) => row(n + 1, ROW_BYTES))
    writeFileSync(path, head + first + rest.join("") + tail)
    const rows = ROWS + (tail === "" ? 0 : 1)
    assert.deepEqual(await read(path, format), { rows, rejects: {} })
  })
}

test("parquet: a file of several blocks is read in full", async () => {
  const path = join(directory, "rows.parquet")
  await writeParquetRows(path, 60_000)
  assert.deepEqual(await read(path, "parquet"), { rows: 60_000, rejects: {} })
})
