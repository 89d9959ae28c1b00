import assert from "node:assert/strict"
import { test } from "node:test"
import { type MessageToPack, type OpenedMessage, packMessage, unpackMessage } from "./envelope.ts"
import { emptyNote, mergeNotes, packNote, unpackNote } from "./note.ts"
import { writeTar } from "./tar.ts"
import { oneWay, refusedAs, testThread, twoWay } from "../../testing/drop/test-messages.ts"
import { groupThreads, type ThreadMessage, threadName, threadOf } from "./threads.ts"
import { loadWords } from "./words.ts"

const words = await loadWords("en")
const [ann, ben] = [await testThread(1), await testThread(2)]
interface Arrived extends ThreadMessage {
  readonly opened: OpenedMessage
}
const arrive = (id: string, message: MessageToPack): Arrived => ({
  id,
  opened: unpackMessage(packMessage(message)),
})

test("messages of one code are one thread, in the order of the visit, and others are their own", () => {
  const messages = [
    arrive("a", twoWay("second", { ...ann, n: 1 })),
    arrive("b", twoWay("other", ben)),
    arrive("c", twoWay("later", { ...ann, n: null })),
    arrive("d", twoWay("first", ann)),
    arrive("e", oneWay("alone")),
    arrive("f", oneWay("alone")),
  ]
  const threads = groupThreads(messages, words)
  assert.deepEqual(
    threads.map((thread) => thread.messages.map(({ opened }) => opened.message)),
    [["first", "second", "later"], ["other"], ["alone"], ["alone"]],
  )
  assert.deepEqual(
    threads.map(({ name }) => name?.split(" ").length ?? null),
    [6, 6, null, null],
  )
  assert.ok(threads.every(({ contested, duplicates }) => !contested && duplicates.length === 0))
})

test("T50: a key that was swapped shows as another thread with another name, and is flagged", () => {
  const swapped = { ...ann, reply_to: ben.reply_to }
  const threads = groupThreads(
    [arrive("a", twoWay("first", ann)), arrive("b", twoWay("not me", swapped))],
    words,
  )
  assert.equal(threads.length, 2)
  assert.notEqual(threads[0]?.name, threads[1]?.name)
  assert.ok(threads.every(({ contested }) => contested))
})

test("T50: taking over only the key of the other suite is another thread too", async () => {
  const [one, two] = [await testThread(1, "pq"), await testThread(2, "pq")]
  const swapped = { ...one, reply_to_pq: two.reply_to_pq ?? "" }
  assert.notEqual(threadName(one, words), threadName(swapped, words))
  assert.notEqual(
    threadOf(arrive("a", twoWay("x", one)).opened.manifest),
    threadOf(arrive("b", twoWay("x", swapped)).opened.manifest),
  )
})

test("T51: a message that is stored again is flagged, whatever the order the server gives", () => {
  const message = arrive("a", twoWay("first", ann))
  const other = arrive("b", twoWay("second", { ...ann, n: 1 }))
  const again = { ...message, id: "c" }
  for (const order of [
    [message, other, again],
    [again, message, other],
    [other, again, message],
  ]) {
    const [thread] = groupThreads(order, words)
    assert.deepEqual(
      thread?.messages.map(({ opened }) => opened.message),
      ["first", "second"],
    )
    assert.equal(thread.duplicates.length, 1)
    assert.equal(thread.duplicates[0]?.opened.message, "first")
  }
})

test("a name is made of the keys alone and stays the same", () => {
  assert.equal(threadName(ann, words), threadName({ ...ann, mailbox: ben.mailbox, n: 5 }, words))
})

test("a note comes out as it went in, and all notes have one size", () => {
  const note = { ...emptyNote("x"), labels: ["urgent"], text: "call the lawyer", muted: true }
  assert.deepEqual(unpackNote(packNote(note)), note)
  assert.equal(packNote(note).length, packNote(emptyNote("y")).length)
})

test("a note that would grow too large leaves its oldest replies out", () => {
  const replies = Array.from({ length: 30 }, (_, i) => `${i} ${"x".repeat(5_000)}`)
  const { replies: kept, answers } = unpackNote(
    packNote({ ...emptyNote("x"), replies, answers: 30 }),
  )
  assert.ok(kept.length > 5 && kept.length < 30)
  assert.deepEqual(kept, replies.slice(-kept.length))
  assert.equal(answers, 30)
})

test("notes of two recipients about one thread are joined without loss", () => {
  const merged = mergeNotes("x", [
    { ...emptyNote("x"), labels: ["a", "b"], text: "one", acknowledged: true },
    { ...emptyNote("x"), labels: ["b", "c"], text: "two", muted: true, replies: ["yes"] },
  ])
  assert.deepEqual(merged, {
    about: "x",
    labels: ["a", "b", "c"],
    text: "one\n\ntwo",
    muted: true,
    acknowledged: true,
    replies: ["yes"],
    answers: 1,
  })
  const notes = [7, 3].map((answers) => ({ ...emptyNote("x"), answers }))
  assert.equal(mergeNotes("x", notes).answers, 7)
})

test("what is no note is refused", () => {
  const note = { v: 1, ...emptyNote("x") }
  for (const lie of [
    { ...note, v: 2 },
    { ...note, labels: [1] },
    { ...note, text: null },
    { ...note, answers: -1 },
    null,
  ]) {
    const bytes = new TextEncoder().encode(JSON.stringify(lie))
    const envelope = writeTar([{ name: "note.json", bytes }], 65_536)
    assert.throws(() => unpackNote(envelope), refusedAs("manifest"))
  }
  assert.throws(() => unpackNote(packMessage(oneWay("a"))), refusedAs("archive"))
})
