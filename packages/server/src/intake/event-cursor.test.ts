import assert from "node:assert/strict"
import { test } from "node:test"
import { openCursors } from "./event-cursor.ts"

const cursors = openCursors(new Uint8Array(32).fill(3))
const at = Date.UTC(2026, 10, 18, 9, 30)

test("a cursor is read again by its owner, whoever that is", () => {
  for (const owner of [null, 1, 7, 2 ** 40])
    for (const seq of [0, 1, 255, 2 ** 33, 2 ** 48 - 1]) {
      const text = cursors.textOf({ seq, atMs: at + 59_999 }, owner)
      assert.match(text, /^cur_[A-Za-z0-9_-]{22}$/)
      assert.deepEqual(cursors.read(text, owner), { seq, atMs: at })
    }
})

test("a cursor of another owner or another service, or a made up one, is none", () => {
  const text = cursors.textOf({ seq: 12, atMs: at }, 7)
  assert.equal(cursors.read(text, 8), null)
  assert.equal(cursors.read(text, null), null)
  assert.equal(openCursors(new Uint8Array(32).fill(4)).read(text, 7), null)
  for (const made of ["", "cur_", "cur_AAAA", `cur_${"A".repeat(22)}`, `${text}AAAA`, "latest"])
    assert.equal(cursors.read(made, 7), null, made)
})

test("cursors do not show how many events lie between them", () => {
  const texts = Array.from({ length: 100 }, (_, seq) => cursors.textOf({ seq, atMs: at }, 7))
  assert.equal(new Set(texts).size, 100)
  assert.equal(new Set(texts.map((text) => text.slice(0, 8))).size, 100)
})
