import assert from "node:assert/strict"
import { test } from "node:test"
import type { Batch } from "./kinds.ts"
import { marksIn } from "./marks.ts"

const batch: Batch = {
  id: "1",
  kind: "batch",
  state: "running",
  begunAtMs: 5,
  endedAtMs: null,
  isSeen: false,
  failure: null,
  name: "ana.silva.csv",
  done: 0,
  failed: 0,
  total: null,
}
const ana = { person_id: "per_a", tenant_id: 1 }
const lost = { id: "1", kind: "batch", state: "lost", begunAtMs: 5, wasRunning: true }

function storage(): Map<string, string> & Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  const map = new Map<string, string>()
  return Object.assign(map, {
    getItem: (name: string) => map.get(name) ?? null,
    setItem: (name: string, text: string) => void map.set(name, text),
    removeItem: (name: string) => void map.delete(name),
  })
}

test("what was begun and is not there any more is lost, to whoever began it alone", () => {
  const place = storage()
  const marks = marksIn(() => place)
  marks.set(batch, ana)
  assert.deepEqual(marks.lost([batch], ana), [])
  assert.deepEqual(marks.lost([], ana), [lost])
  assert.deepEqual(marks.lost([], { ...ana, tenant_id: 2 }), [])
  assert.deepEqual(marks.lost([], { ...ana, person_id: "per_b" }), [])
  assert.doesNotMatch([...place.values()].join(), /silva/)
  marks.remove("1")
  assert.deepEqual(marks.lost([], ana), [])
  assert.equal(place.size, 0)
})

test("what ended is lost as such, and what somebody has seen is not missed", () => {
  const place = storage()
  const marks = marksIn(() => place)
  marks.set(batch, ana)
  const done = { ...batch, state: "done" } as const
  assert.deepEqual(marks.lost([done], ana), [])
  assert.deepEqual(marks.lost([], ana), [{ ...lost, wasRunning: false }])
  assert.deepEqual(marks.lost([{ ...done, isSeen: true }], ana), [])
  assert.deepEqual(marks.lost([], ana), [])
})

test("a browser that stores nothing marks nothing, and is no fault", () => {
  const marks = marksIn(() => {
    throw new DOMException("denied", "SecurityError")
  })
  marks.set(batch, ana)
  assert.deepEqual(marks.lost([], ana), [])
  marks.clear()
})

test("what others wrote there is no mark", () => {
  const place = storage()
  place.set("assay-work", "{not json")
  assert.deepEqual(marksIn(() => place).lost([], ana), [])
})
