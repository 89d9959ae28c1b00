import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { test } from "node:test"
import { gzipSync } from "node:zlib"
import { examineStream } from "../engine/examine.ts"
import { firstBytes, InputError } from "./member.ts"
import { openStreamedInput } from "./members.ts"
import { StreamedInput } from "./streamed-input.ts"

/** In pieces of `size` bytes, each of them new; `onPull` is called for each. */
async function* inPieces(bytes: Buffer, size: number, onPull = (): void => undefined) {
  for (let at = 0; at < bytes.length; at += size) {
    onPull()
    yield Buffer.from(bytes.subarray(at, at + size))
  }
}

async function all(pieces: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  for await (const piece of pieces) parts.push(piece)
  return Buffer.concat(parts).toString()
}

const text = Buffer.from(
  Array.from({ length: 2000 }, (_, n) => `u${n}@mail.example:p${n}\n`).join(""),
)
const sha256 = createHash("sha256").update(text).digest("hex")
const said = { name: "upload", bytes: text.length }

test("a stream is looked at as often as needed, then read once in whole, and known by its digest", async () => {
  let pulled = 0
  const stream = new StreamedInput(
    inPieces(text, 100, () => pulled++),
    said,
  )
  for (let n = 0; n < 3; n++) {
    const head = await firstBytes(stream.pieces(), 250)
    assert.ok(head.equals(text.subarray(0, 250)))
    // Whoever got a piece may empty it.
    head.fill(0)
  }
  assert.equal(pulled, 3)
  stream.readOn()
  assert.equal(await all(stream.pieces()), text.toString())
  assert.equal(await stream.sha256(), sha256)
  await assert.rejects(all(stream.pieces()), InputError)
})

test("what a format leaves over at the end is part of the digest", async () => {
  const stream = new StreamedInput(inPieces(text, 1000), said)
  stream.readOn()
  await firstBytes(stream.pieces(), 10)
  assert.equal(await stream.sha256(), sha256)
})

test("a stream that ends early, or goes on for too long, is refused, however it is read", async () => {
  for (const bytes of [text.length + 1, text.length - 1]) {
    const stream = new StreamedInput(inPieces(text, 5000), { ...said, bytes })
    stream.readOn()
    await assert.rejects(all(stream.pieces()), /^InputError: upload (?:ended after|has more than) /)
    const other = new StreamedInput(inPieces(text, 5000), { ...said, bytes })
    await assert.rejects(other.sha256(), InputError)
  }
})

test("a packed stream is looked at and read once through its packing; no byte is lost between", async () => {
  const packed = gzipSync(text)
  const stream = new StreamedInput(inPieces(packed, 64), { name: "upload", bytes: packed.length })
  const job = { paths: [], hints: { map: {} }, rowsShown: 3, masked: true, nowMs: Date.now() }
  const { members, shown } = await examineStream(job, stream)
  assert.equal(members.length, 1)
  assert.deepEqual(
    shown.map((row) => "row" in row && row.row.identity),
    ["***@m***.example", "***@m***.example", "***@m***.example"],
  )
  for await (const member of openStreamedInput(stream).members()) {
    stream.readOn()
    assert.equal(await all(member.bytes()), text.toString())
  }
  assert.equal(await stream.sha256(), createHash("sha256").update(packed).digest("hex"))
})

test("what is read by places in it is refused by a code of its own", async () => {
  for (const head of ["PK\x03\x04", "PAR1"]) {
    const bytes = Buffer.from(head + "x".repeat(1000), "latin1")
    const stream = new StreamedInput(inPieces(bytes, 100), { name: "upload", bytes: bytes.length })
    const job = { paths: [], hints: { map: {} }, rowsShown: 0, nowMs: Date.now() }
    await assert.rejects(
      examineStream(job, stream),
      (error) => error instanceof InputError && error.code === "needs-seeking",
    )
  }
})
