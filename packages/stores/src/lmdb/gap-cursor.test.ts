import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { open } from "lmdb"
import type { BareDatabase } from "./checked-database.ts"
import { GapCursor } from "./gap-cursor.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-gap-cursor-"))
after(() => rmSync(folder, { recursive: true }))
let files = 0

function opened(): { root: BareDatabase; gaps: GapCursor } {
  const path = join(folder, String(++files))
  const root = open<Uint8Array, Uint8Array>({ path, encoding: "binary", keyEncoding: "binary" })
  return { root, gaps: new GapCursor(root) }
}

/** What a walk over the gap of a key shows: its neighbours and what they hold, or null. */
function shown(gaps: GapCursor, key: Uint8Array): [next: string, previous: string] | null {
  const seen: string[] = []
  const lies = gaps.liesBetween(key, ({ key: beside, value, valueLength }, side) => {
    const held = Buffer.from(value.subarray(0, valueLength)).toString("hex")
    seen.push(`${side} ${Buffer.from(beside).toString("hex")} ${held}`)
    return true
  })
  return lies ? (seen as [string, string]) : null
}

test("a gap shows the very neighbours of a key, also of keys that were written since", async () => {
  const { root, gaps } = opened()
  const keys: Buffer[] = []
  for (let round = 0; round < 5; round++) {
    const more = Array.from({ length: 400 }, () => randomBytes(16))
    await root.transaction(() => {
      for (const key of more) root.putSync(key, Buffer.concat([key, key]))
    })
    keys.push(...more)
    keys.sort(Buffer.compare)
    root.resetReadTxn()
    for (let n = 0; n < 200; n++) {
      const key = randomBytes(16)
      const at = keys.findIndex((each) => Buffer.compare(each, key) > 0)
      const [next, previous] = [keys[at], keys[at - 1]]
      const text = (side: string, each: Buffer): string =>
        `${side} ${each.toString("hex")} ${each.toString("hex").repeat(2)}`
      assert.deepEqual(
        shown(gaps, key),
        next === undefined || previous === undefined
          ? null
          : [text("next", next), text("previous", previous)],
      )
    }
  }
  await root.close()
})

test("where a neighbour is missing, too long to be lent or refused, nothing is sure", async () => {
  const { root, gaps } = opened()
  const key = (first: number): Buffer => Buffer.alloc(16, first)
  assert.equal(shown(gaps, key(5)), null)
  await root.put(key(3), key(3))
  await root.put(key(7), key(7))
  root.resetReadTxn()
  assert.notEqual(shown(gaps, key(5)), null)
  assert.equal(shown(gaps, key(2)), null)
  assert.equal(shown(gaps, key(8)), null)
  for (const refused of ["next", "previous"])
    assert.equal(
      gaps.liesBetween(key(5), (_, side) => side !== refused),
      false,
    )
  // The key itself stands in place of one of its neighbours, which a caller refuses.
  const beside: string[] = []
  gaps.liesBetween(key(7), (neighbour) => {
    beside.push(Buffer.from(neighbour.key).toString("hex"))
    return true
  })
  assert.equal(beside[0], key(7).toString("hex"))
  await root.put(key(4), Buffer.alloc(2 ** 25, 1))
  root.resetReadTxn()
  const takesAny = (): boolean => true
  assert.equal(gaps.liesBetween(key(5), takesAny), false)
  assert.equal(gaps.liesBetween(key(4), takesAny), false)
  await root.close()
})
