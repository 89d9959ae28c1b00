import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import type { Member } from "../inputs/member.ts"
import { openInputs } from "../inputs/members.ts"
import type { Detected } from "./format.ts"
import { blocksOf, detectFormat, openParser } from "./formats.ts"
import type { FormatHints } from "./head.ts"
import { ownBytes, takenFrom } from "./row-bytes.ts"
import { memberOf } from "../../testing/formats/test-read.ts"
import {
  addressesIn,
  addressOf,
  ROW_BYTES_MIN,
  ROW_WRITERS,
  type RowWriter,
  writeParquetRows,
} from "../../testing/formats/test-rows.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-borders-"))
after(() => rmSync(folder, { recursive: true }))

/** Not less: the first bytes of a table are looked at together, and are one piece from then on. */
const BLOCK = 1 << 16
const ROW = 900
const ROWS = 200
/** How far the end of a row is from the border of a block, to either side. */
const AROUND = 20

interface Blocks {
  readonly addresses: string[]
  readonly rejected: number
  readonly blocks: number
}

/**
 * Parses every block as a thread does: it takes the block away before the next one is requested.
 */
async function addressesOf(member: Member, detected: Detected): Promise<Blocks> {
  const addresses: string[] = []
  let rejected = 0
  let blocks = 0
  for await (const block of blocksOf(member, detected, BLOCK)) {
    const taken = structuredClone(block, { transfer: [block.buffer as ArrayBuffer] })
    assert.equal(block.length, 0)
    openParser(detected.format).parse(Buffer.from(taken.buffer), {
      row: (_line, { identity }) => void addresses.push(identity),
      reject: () => (rejected += 1),
    })
    blocks++
  }
  return { addresses, rejected, blocks }
}

/** Rows of which one ends `distance` bytes after the border of the first block. */
function fileOf({ head, tail, row }: RowWriter, distance: number): Buffer {
  const pieces = [Buffer.from(head)]
  let left = BLOCK + distance - Buffer.byteLength(head)
  for (let n = 0; n < ROWS; n++) {
    const isBorderRow = left >= ROW_BYTES_MIN && left < ROW + 7 + ROW_BYTES_MIN
    const piece = Buffer.from(row(n, isBorderRow ? left : ROW + (n % 7)))
    pieces.push(piece)
    left -= piece.length
  }
  return Buffer.concat([...pieces, Buffer.from(tail)])
}

for (const writer of ROW_WRITERS) {
  const { format, title } = writer
  test(`${format}, ${title}: whatever the distance of a row's end from a block's border, all rows come, each once`, async () => {
    const hints: FormatHints = { map: {}, format }
    const detected = detectFormat("a", fileOf(writer, 0), hints)
    assert.equal(detected?.format.name, format)
    const wanted = addressesIn(writer, ROWS)
    let onBorder = 0
    for (let distance = -AROUND; distance <= AROUND; distance++) {
      const bytes = fileOf(writer, distance)
      if (bytes[BLOCK - 1] === 10) onBorder++
      for (const pieceBytes of [BLOCK, BLOCK + distance, BLOCK / 4 + 13]) {
        const member = memberOf("a", bytes, pieceBytes)
        const { addresses, rejected, blocks } = await addressesOf(member, detected)
        assert.deepEqual(addresses, wanted)
        assert.equal(rejected, 0)
        assert.ok(blocks > 1)
      }
    }
    assert.ok(onBorder > 0, "no row ended on a border")
  })
}

test("parquet: files of about as many rows as blocks hold give all rows, each once", async () => {
  // The engine gives rows 2,048 at a time, and a block is as many of these as fill it.
  for (const rows of [1, 2047, 2048, 2049, 4096, 4097]) {
    const path = join(folder, `${rows}.parquet`)
    await writeParquetRows(path, rows)
    const inputs = openInputs([path])
    for await (const member of inputs.members()) {
      const detected: Detected = {
        format: {
          name: "parquet",
          columns: { email: { at: 0, name: "email" }, password: { at: 1, name: "password" } },
        },
        encoding: "utf-8",
      }
      const { addresses, rejected } = await addressesOf(member, detected)
      assert.deepEqual(
        addresses,
        Array.from({ length: rows }, (_, n) => addressOf(n)),
      )
      assert.equal(rejected, 0)
    }
    await inputs.close()
  }
})

test("bytes that are taken are gone where they were, and bytes in shared memory are copied", () => {
  const own = ownBytes([Buffer.from("ana@mail.example")])
  assert.equal(takenFrom(own).toString(), "ana@mail.example")
  assert.equal(own.length, 0)
  const shared = Buffer.from("bob@mail.example").subarray(0, 3)
  const taken = takenFrom(shared)
  assert.equal(taken.toString(), "bob")
  assert.equal(taken.buffer.byteLength, 3)
  assert.equal(shared.toString(), "bob")
})
