import assert from "node:assert/strict"
import { test } from "node:test"
import { packSeen, readSeen, remembered, strangeness, unpackSeen, withRead } from "./seen.ts"

const [one, other, third] = ["aa", "bb", "cc"].map((pair) => pair.repeat(16)) as [
  string,
  string,
  string,
]
const [mark, forged] = ["11".repeat(32), "22".repeat(32)]
const until = 20_030
const today = 20_000

test("a message that stays what it was is not strange, however often it is seen", () => {
  let seen = remembered({}, [{ id: one, mark, until }], today)
  assert.equal(strangeness(seen, { id: one, mark }), null)
  seen = remembered(seen, [{ id: one, mark, until }], today)
  assert.equal(strangeness(seen, { id: one, mark }), null)
  assert.equal(strangeness(seen, { id: other, mark: forged }), null)
})

test("another content under a known id is strange, and stays so after it was looked at", () => {
  let seen = remembered({}, [{ id: one, mark, until }], today)
  assert.equal(strangeness(seen, { id: one, mark: forged }), "changed")
  seen = remembered(seen, [{ id: one, mark: forged, until }], today)
  assert.equal(strangeness(seen, { id: one, mark: forged }), "changed")
  assert.equal(strangeness(seen, { id: one, mark }), "changed", "also when it is changed back")
})

test("a known content under a new id is strange, also when the first is gone, until its day is over", () => {
  let seen = remembered({}, [{ id: one, mark, until }], today)
  assert.equal(strangeness(seen, { id: other, mark }), "moved")
  seen = remembered(seen, [{ id: other, mark, until }], today)
  assert.equal(strangeness(seen, { id: other, mark }), "moved")
  assert.equal(strangeness(seen, { id: third, mark }), "moved")
  seen = remembered(seen, [], until + 1)
  assert.deepEqual(seen, {})
})

test("a memory that was kept is read again, and anything else is refused", () => {
  const seen = remembered({}, [{ id: one, mark, until }], today)
  const changed = remembered(seen, [{ id: one, mark: forged, until }], today)
  const read = withRead(changed, [one, other])
  assert.deepEqual(Object.keys(read), [one], "one that was not seen is not added")
  assert.equal(remembered(read, [{ id: one, mark, until }], today)[one]?.read, true)
  for (const kept of [{}, seen, changed, read]) {
    assert.deepEqual(readSeen(JSON.parse(JSON.stringify(kept))), kept)
    assert.deepEqual(unpackSeen(packSeen(kept)), kept)
    assert.equal(packSeen(kept).length, 65_536)
  }
  for (const wrong of [null, 1, { x: { mark, until } }, { [one]: null }, { [one]: { mark } }])
    assert.throws(() => readSeen(wrong), /no memory/)
})
