import assert from "node:assert/strict"
import { Socket } from "node:net"
import { test, type TestContext } from "node:test"
import { openLine, type PlainConnection, type WaitingLine } from "./waiting-line.ts"

const HEAD = "POST /drop/form HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"

function lineOf(t: TestContext, ...sent: readonly string[]): WaitingLine {
  const line = openLine({ most: 6, waitMs: 60_000, now: () => 0 })
  t.after(() => line.refuseAll())
  for (const each of sent) assert.ok(line.add(connectionOf(each)))
  return line
}

const connectionOf = (sent: string): PlainConnection => ({
  socket: new Socket(),
  head: Buffer.from(HEAD + sent),
  refused: () => undefined,
})

const bodiesOf = (line: WaitingLine): string[] =>
  Array.from({ length: line.length }, () => String(line.next()?.head).slice(HEAD.length))

test("who has sent all waits for two turns at most, however many came before and send nothing", (t) => {
  const line = lineOf(t, "a", "b", "c", "d", "hello")
  assert.deepEqual(bodiesOf(line), ["hello", "a", "b", "c", "d"])
  const next = lineOf(t, "a", "b", "c", "d")
  next.next()
  next.add(connectionOf("hello"))
  assert.deepEqual(bodiesOf(next), ["b", "hello", "c", "d"])
})

test("those who have sent all do not keep a slow one waiting for more than every second turn", (t) => {
  const line = lineOf(t, "slow", "one..", "two..", "three", "lag", "four.")
  assert.deepEqual(bodiesOf(line), ["one..", "slow", "two..", "three", "four.", "lag"])
})

test("of those who have sent all, and of those who have not, the first comes first", (t) => {
  assert.deepEqual(bodiesOf(lineOf(t, "one..", "two..", "three")), ["one..", "two..", "three"])
  assert.deepEqual(bodiesOf(lineOf(t, "", "a", "ab")), ["", "a", "ab"])
})

test("in a full line who has sent all takes the place of the last who has not, and nobody else does", (t) => {
  const refused: string[] = []
  const line = lineOf(t, "one..", "a", "b", "two..", "c")
  const last = { ...connectionOf("d"), refused: () => void refused.push("d") }
  assert.ok(line.add(last))
  assert.equal(line.add(connectionOf("e")), false)
  assert.ok(line.add(connectionOf("three")))
  assert.deepEqual(refused, ["d"])
  assert.ok(last.head.every((byte) => byte === 0))
  assert.equal(line.length, 6)
  assert.deepEqual(bodiesOf(line), ["one..", "a", "two..", "b", "three", "c"])

  const complete = lineOf(t, "one..", "two..", "three", "four.", "five.", "six..")
  assert.equal(complete.add(connectionOf("seven")), false)
  assert.equal(complete.length, 6)
})
