import assert from "node:assert/strict"
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { Explained } from "@assay/runtime/explained"
import type { SealedHead } from "@assay/stores/audit-chain"
import { appendHead, headLine, readHeads } from "./heads-file.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-heads-"))
after(() => rmSync(folder, { recursive: true }))
const key = new Uint8Array(32).fill(1)
const head = (seq: number): SealedHead => ({
  seq,
  mac: new Uint8Array(32).fill(seq),
  at: Date.UTC(2026, 2, seq),
  kind: "head",
})

test("heads are appended to a file of their owner's alone and read back in order", async () => {
  const path = join(folder, "heads")
  assert.deepEqual(await readHeads(path, key), { heads: [], strangeLines: 0 })
  const heads = [head(1), { ...head(2), kind: "restored" as const }, head(3)]
  for (const each of heads) await appendHead(path, headLine(key, each))
  assert.deepEqual(await readHeads(path, key), { heads, strangeLines: 0 })
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test("half a line is left alone, and the next one stands on its own", async () => {
  const path = join(folder, "torn")
  await appendHead(path, headLine(key, head(1)))
  appendFileSync(path, headLine(key, head(2)).slice(0, 40))
  await appendHead(path, headLine(key, head(3)))
  assert.deepEqual(await readHeads(path, key), { heads: [head(1), head(3)], strangeLines: 1 })
})

test("a line with any other character is not believed, nor one of another secret", async () => {
  const path = join(folder, "forged")
  const line = headLine(key, head(5))
  for (let at = 0; at < line.length; at++) {
    const changed = line.charAt(at) === "0" ? "1" : "0"
    writeFileSync(path, `${line.slice(0, at)}${changed}${line.slice(at + 1)}\n`)
    assert.deepEqual(await readHeads(path, key), { heads: [], strangeLines: 1 }, String(at))
  }
  writeFileSync(path, `${line}\n`)
  assert.deepEqual(await readHeads(path, key), { heads: [head(5)], strangeLines: 0 })
  const other = await readHeads(path, new Uint8Array(32))
  assert.deepEqual(other, { heads: [], strangeLines: 1 })
})

test("a file that cannot be written is named with its setting", async () => {
  const path = join(folder, "nowhere", "heads")
  await assert.rejects(appendHead(path, "x"), (error) => {
    assert.ok(error instanceof Explained)
    assert.match(error.message, /ENOENT[^]*ASSAY_AUDIT_HEADS/)
    return true
  })
  writeFileSync(join(folder, "file"), "")
  await assert.rejects(readHeads(join(folder, "file", "heads"), key), Explained)
  assert.ok(readFileSync(join(folder, "file")).length === 0)
})
