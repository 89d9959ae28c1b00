import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { DomainTable } from "./domain-table.ts"

const name = fc.stringMatching(/^[a-z0-9.-]{1,40}$/)

test("it answers as a Map of marks would, however it grew", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(name, fc.integer({ min: 1, max: 255 })), { maxLength: 300 }),
      fc.array(name, { maxLength: 50 }),
      fc.nat(64),
      (marked, others, expected) => {
        const table = new DomainTable(expected)
        const map = new Map<string, number>()
        for (const [text, marks] of marked) {
          table.mark(text, marks)
          map.set(text, (map.get(text) ?? 0) | marks)
        }
        assert.equal(table.size, map.size)
        for (const text of [...map.keys(), ...others]) {
          assert.equal(table.marks(text, 0), map.get(text) ?? 0)
          assert.equal(table.marks(`sub.${text}`, 4), map.get(text) ?? 0)
        }
        let visited = 0
        table.forEachMarks((marks) => {
          visited++
          assert.notEqual(marks, 0)
        })
        assert.equal(visited, map.size)
        const names = new Set<string>()
        table.forEachName((name) => names.add(name))
        assert.deepEqual(names, new Set(map.keys()))
      },
    ),
    { seed: 20261115, numRuns: 500 },
  )
})

test("a mark can be taken back without touching the others of the name", () => {
  const table = new DomainTable()
  table.mark("x.example", 3)
  table.unmark("x.example", 1)
  table.unmark("y.example", 1)
  assert.equal(table.marks("x.example", 0), 2)
  assert.equal(table.marks("y.example", 0), 0)
})

test("a name that no domain can have is refused", () => {
  const table = new DomainTable()
  assert.throws(() => table.mark("", 1), RangeError)
  assert.throws(() => table.mark("a".repeat(256), 1), RangeError)
})

test("it keeps the second a name was first seen, and none for the others", () => {
  const table = new DomainTable()
  table.mark("x.example", 1)
  table.mark("y.example", 1)
  table.seen("x.example", 2 ** 32 - 1)
  assert.equal(table.seenAt("mx.x.example", 3), 2 ** 32 - 1)
  assert.equal(table.marks("x.example", 0), 1)
  assert.equal(table.seenAt("y.example", 0), null)
  assert.equal(table.seenAt("z.example", 0), null)
  assert.throws(() => table.seen("z.example", 1), RangeError)
})
