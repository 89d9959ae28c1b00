import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { LINE_BYTES_MAX, lineBlocks } from "./line-blocks.ts"
import { eachLine, isTooLong } from "./lines.ts"
import { collected, piecesOf } from "../../testing/formats/read-all-suite.ts"

const seed = 20_261_115

async function blocksOfPieces(
  bytes: Buffer,
  pieceBytes: number,
  blockBytes?: number,
): Promise<Buffer[]> {
  return collected(lineBlocks(piecesOf(bytes, pieceBytes), blockBytes))
}

function linesOf(blocks: readonly Buffer[]): string[] {
  const lines: string[] = []
  for (const block of blocks) eachLine(block, (_line, text) => void lines.push(text))
  return lines
}

test("LF, CR LF and CR alone each end a line, and the last needs no end", () => {
  const block = Buffer.from("a\nb\r\nc\rd\r\r\n\ne")
  assert.deepEqual(linesOf([block]), ["a", "b", "c", "d", "", "", "e"])
  assert.deepEqual(linesOf([Buffer.from("a\r")]), ["a"])
  assert.deepEqual(linesOf([Buffer.from("a\r\n")]), ["a"])
  assert.deepEqual(linesOf([Buffer.alloc(0)]), [])
})

test("lines are the same however the bytes arrive and wherever blocks are cut", async () => {
  const unit = fc.constantFrom("a", "é", "密", "😀", "\n", "\r", "\r\n", ":")
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit, maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 30 }),
      async (text, pieceBytes, blockBytes) => {
        const bytes = Buffer.from(text)
        const blocks = await blocksOfPieces(bytes, pieceBytes, blockBytes)
        assert.deepEqual(linesOf(blocks), linesOf([bytes]))
      },
    ),
    { seed, numRuns: 500 },
  )
})

test("a block is about as large as asked for and has memory of its own", async () => {
  const bytes = Buffer.from("0123456789abcde\n".repeat(4096))
  const blocks = await blocksOfPieces(bytes, 1000, 8192)
  for (const block of blocks.slice(0, -1)) assert.ok(block.length >= 8192 && block.length < 10_000)
  for (const block of blocks) assert.equal(block.buffer.byteLength, block.length)
  assert.ok(Buffer.concat(blocks).equals(bytes))
})

test("of a line without end no more is held than shows that it is too long", async () => {
  const piece = Buffer.alloc(1 << 20, "x")
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.from("first\n")
    for (let mebibytes = 0; mebibytes < 64; mebibytes++) yield piece
    yield Buffer.from("x\r")
    yield Buffer.from("\nlast\n")
  }
  const blocks = await collected(lineBlocks(endless()))
  const held = blocks.reduce((sum, block) => sum + block.length, 0)
  assert.ok(held < LINE_BYTES_MAX + 100, `${held} bytes were held`)
  const lines = linesOf(blocks)
  assert.deepEqual(
    lines.map((text) => (isTooLong(text) ? "too long" : text)),
    ["first", "too long", "last"],
  )
})

test("a line of just the limit is read, one byte more is too long, also in many-byte characters", async () => {
  for (const [text, tooLong] of [
    ["x".repeat(LINE_BYTES_MAX), false],
    ["x".repeat(LINE_BYTES_MAX + 1), true],
    ["é".repeat(LINE_BYTES_MAX / 2), false],
    [`${"é".repeat(LINE_BYTES_MAX / 2)}x`, true],
    ["密".repeat(LINE_BYTES_MAX), true],
  ] as const) {
    for (const pieceBytes of [1 << 16, 1 << 22]) {
      const lines = linesOf(await blocksOfPieces(Buffer.from(`${text}\nb`), pieceBytes))
      assert.deepEqual(lines.map(isTooLong), [tooLong, false])
    }
  }
})
