import assert from "node:assert/strict"
import { test } from "node:test"
import { deriveSecrets } from "@assay/runtime/secrets"
import { ownBytes } from "../formats/row-bytes.ts"
import type { KeyerOptions } from "./keyer.ts"
import { ParsingPool } from "./parsing-pool.ts"
import type { Block } from "./reader-thread.ts"

const { subkeys } = deriveSecrets(Buffer.alloc(32, 7))
const hours = 480_000
const options: KeyerOptions = { subkeys, kind: "breach", hours, latestHours: hours + 24 }
const format = { name: "combolist", delimiter: ":" }
const LINE = "ana@mail.example:zqxjkv\n"

function block(bytes = ownBytes([Buffer.from(LINE)])): Block {
  return { format, bytes, as: null }
}

async function rowsOf(pool: ParsingPool, bytes?: Buffer): Promise<number | undefined> {
  return (await pool.run([block(bytes)])).blocks[0]?.rows
}

/** A thread that does this with the first block it gets. */
function body(code: string): URL {
  const text = `import { parentPort } from "node:worker_threads"\nparentPort.once("message", () => { ${code} })`
  return new URL(`data:text/javascript,${encodeURIComponent(text)}`)
}

for (const [ends, code, reason] of [
  ["throws", 'throw new TypeError("zqxjkv")', "TypeError"],
  ["exits", "process.exit(0)", "it ended"],
] as const) {
  test(`a thread that ${ends} fails the blocks it has, and whatever comes after them`, async () => {
    const pool = new ParsingPool(1, options, body(code))
    const failure = { code: "parser", message: new RegExp(`thread failed \\(${reason}`) }
    const waiting = [pool.run([block(), block()]), pool.run([block()])]
    for (const each of waiting) await assert.rejects(each, failure)
    await assert.rejects(pool.run([block()]), failure)
    await pool.close()
  })
}

test("a block that was handed away cannot be again, and the next one can", async () => {
  const pool = new ParsingPool(1, options)
  const once = ownBytes([Buffer.from(LINE)])
  assert.equal(await rowsOf(pool, once), 1)
  assert.equal(once.length, 0)
  const shared = Buffer.from(LINE)
  assert.equal(await rowsOf(pool, shared), 1)
  const detached = ownBytes([Buffer.from(LINE)])
  structuredClone(detached, { transfer: [detached.buffer as ArrayBuffer] })
  await assert.rejects(pool.run([block(detached)]), {
    code: "parser",
    message: "A block of rows could not be handed to its thread",
  })
  assert.equal(await rowsOf(pool), 1)
  await pool.close()
  await assert.rejects(pool.run([block()]), { message: /it was closed/ })
})

test("blocks that are handed over together are counted apart, each by its own kind and lines", async () => {
  const pool = new ParsingPool(1, options)
  const lines = (text: string): Buffer => ownBytes([Buffer.from(text)])
  const { blocks, frames, failed } = await pool.run([
    { ...block(lines(`${LINE}\n${LINE}`)), as: { kind: "stealer", hours } },
    block(lines("no delimiter\n")),
    block(),
  ])
  assert.deepEqual(
    blocks.map(({ lines: count, rows, kinds, rejects }) => ({ count, rows, kinds, rejects })),
    [
      { count: 3, rows: 2, kinds: [["stealer", 2]], rejects: [{ line: 2, reason: "blank" }] },
      { count: 1, rows: 0, kinds: [], rejects: [{ line: 1, reason: "no-delimiter" }] },
      { count: 1, rows: 1, kinds: [["breach", 1]], rejects: [] },
    ],
  )
  assert.deepEqual([frames.length, failed], [1, null])
  await pool.close()
})

test("of blocks that are handed over together, the one that fails is known", async () => {
  const pool = new ParsingPool(1, options)
  const broken = { ...block(), format: { name: "csv", columns: null } }
  const { blocks, failed } = await pool.run([block(), broken, block()])
  assert.equal(blocks.length, 1)
  assert.equal(failed, "The parser of csv failed (TypeError)")
  await pool.close()
})
