import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { test, type TestContext } from "node:test"
import { setImmediate as nextTurn } from "node:timers/promises"
import type { DropBatch, DropCalls, DropSealedFile } from "@assay/client"
import {
  inReplyOrder,
  newIdentityFile,
  newSecret,
  open,
  packMessage,
  type Recipients,
  seal,
  sealedBody,
  threadAddress,
  threadKeys,
  unpackMessage,
} from "@assay/core/drop"
import { loadWords } from "@assay/core/drop/words"
import { BATCH_DELAY_MS, createInbox, type Inbox } from "./inbox.ts"
import { createOpener } from "./opener.ts"
import { OpenerFailure } from "./opener-calls.ts"

const words = await loadWords("en")
const DROP_ID = new Uint8Array(16).fill(1)
const { file, recipient } = await newIdentityFile(undefined, "x25519")
const recipients: Recipients = { suite: "x25519", keys: [recipient] }

/** The service, as far as a recipient sees it, kept in memory. */
function memoryDrop() {
  const messages = new Map<string, Uint8Array>()
  const notes = new Map<string, Uint8Array>()
  const batches: DropBatch[] = []
  const syncs: string[][] = []
  const state = { online: true, full: false, keys: [...recipients.keys] }
  const offline = (): void => {
    if (!state.online) throw new Error("offline")
  }
  const drop: DropCalls = {
    async sync(have) {
      offline()
      syncs.push([...have])
      const fresh = [...messages].filter(([id]) => !have.includes(id))
      const files: DropSealedFile[] = [
        ...fresh.map(([id, sealed]) => ({
          kind: "message" as const,
          id,
          sealed: new Uint8Array(sealed),
        })),
        ...[...notes].map(([id, sealed]) => ({
          kind: "note" as const,
          id,
          sealed: new Uint8Array(sealed),
        })),
      ]
      const index = {
        drop_id: "01".repeat(16),
        recipients: state.keys,
        messages: [...messages].map(([id, { length }]) => ({
          id,
          size: length,
          purge_day: 20_000,
          effort: 0,
        })),
        notes: [...notes.keys()],
      }
      return {
        index,
        files: (async function* () {
          yield* files
        })(),
      }
    },
    async batch(batch) {
      offline()
      batches.push(batch)
      for (const id of batch.delete ?? []) messages.delete(id)
      for (const id of batch.deleteNotes ?? []) notes.delete(id)
      for (const { id, replaces, sealed } of batch.notes ?? []) {
        for (const old of replaces) notes.delete(old)
        notes.set(id, sealed)
      }
      const outcome = state.full ? ("full" as const) : ("stored" as const)
      return { replies: (batch.replies ?? []).map(({ id }) => ({ id, outcome })) }
    },
    async reseal(id, header) {
      const body = sealedBody(messages.get(id) ?? new Uint8Array())
      messages.set(id, Buffer.concat([header, body]))
      return "resealed"
    },
    keys: () => Promise.reject(new Error("not asked for here")),
    firstKeys: () => Promise.reject(new Error("not asked for here")),
  }
  return { drop, messages, notes, batches, syncs, state }
}

async function sender() {
  const keys = await threadKeys(newSecret(), DROP_ID, "x25519")
  const send = async (message: string, n: number | null = 0): Promise<Uint8Array> =>
    await seal(
      packMessage({
        sealedBy: "browser",
        mode: "two-way",
        lang: "fr",
        thread: threadAddress(keys, n),
        message,
        files: [],
      }),
      recipients,
    )
  return { keys, send }
}

/** What a browser keeps between two visits. */
function newMemory(): { get(): Uint8Array | null; set(sealed: Uint8Array): void } {
  let kept: Uint8Array | null = null
  return { get: () => kept, set: (sealed) => void (kept = sealed) }
}

async function openInbox(
  context: TestContext,
  drop: DropCalls,
  memory = newMemory(),
): Promise<Inbox> {
  context.mock.timers.reset()
  context.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 0 })
  const opener = createOpener()
  await opener.unlock(file, null)
  let confirmed: string | null = null
  const inbox = createInbox({
    drop,
    opener,
    words,
    now: Date.now,
    confirmedKeys: { get: () => confirmed, set: (found) => (confirmed = found) },
    memory,
    onChange: () => undefined,
  })
  await inbox.sync(() => undefined)
  inbox.confirmKeys()
  context.after(() => inbox.outbox.close())
  return inbox
}

const idOf = (number: number): string => number.toString(16).padStart(32, "0")

test("what was sent is fetched once, opened and grouped into threads", async (context) => {
  const service = memoryDrop()
  const [ann, ben] = [await sender(), await sender()]
  service.messages.set(idOf(1), await ann.send("second", 1))
  service.messages.set(idOf(2), await ben.send("other"))
  service.messages.set(idOf(3), await ann.send("first"))
  const inbox = await openInbox(context, service.drop)
  assert.deepEqual(
    inbox.threads().map(({ messages }) => messages.map(({ opened }) => opened.message)),
    [["first", "second"], ["other"]],
  )
  await inbox.sync(() => undefined)
  assert.deepEqual(service.syncs, [[], [idOf(1), idOf(2), idOf(3)]])
  assert.equal(inbox.threads().length, 2)
})

test("T52: opening sends nothing; a whole delay later all of it leaves in one batch", async (context) => {
  const service = memoryDrop()
  const [ann, ben] = [await sender(), await sender()]
  service.messages.set(idOf(1), await ann.send("hello"))
  service.messages.set(idOf(2), await ben.send("hello"))
  const inbox = await openInbox(context, service.drop)
  const [first, second] = inbox.threads()
  assert.ok(first !== undefined && second !== undefined)
  inbox.shown(first.id)
  context.mock.timers.tick(BATCH_DELAY_MS - 1)
  inbox.shown(second.id)
  context.mock.timers.tick(BATCH_DELAY_MS - 1)
  assert.equal(service.batches.length, 0)
  assert.equal(service.syncs.length, 1)
  await inbox.outbox.flush()
  assert.equal(service.batches.length, 1)
  assert.equal(service.batches[0]?.replies?.length, 2)
})

test("the first opening acknowledges once, in the sender's language, for all recipients", async (context) => {
  const service = memoryDrop()
  const ann = await sender()
  service.messages.set(idOf(1), await ann.send("bonjour"))
  const inbox = await openInbox(context, service.drop)
  const [thread] = inbox.threads()
  assert.ok(thread !== undefined)
  inbox.shown(thread.id)
  inbox.shown(thread.id)
  await inbox.outbox.flush()
  const [reply, ...others] = service.batches[0]?.replies ?? []
  assert.ok(reply !== undefined && others.length === 0)
  assert.equal(reply.mailbox, Buffer.from(ann.keys.mailbox).toString("hex"))
  const opened = unpackMessage(await open(reply.sealed, [ann.keys.identity]))
  assert.match(opened.message, /^Votre message est arrivé/)
  assert.equal(opened.manifest.thread, undefined)

  context.mock.timers.reset()
  const colleague = await openInbox(context, service.drop)
  assert.equal(colleague.threads()[0]?.note.acknowledged, true)
  colleague.shown(thread.id)
  assert.deepEqual(colleague.outbox.items(), [])
})

test("a reply reaches its sender and nobody else, and colleagues see what was said", async (context) => {
  const service = memoryDrop()
  const [ann, ben] = [await sender(), await sender()]
  service.messages.set(idOf(1), await ann.send("hello"))
  const inbox = await openInbox(context, service.drop)
  const [thread] = inbox.threads()
  assert.ok(thread !== undefined)
  assert.equal(await inbox.reply(thread.id, "  "), false)
  assert.equal(await inbox.reply(thread.id, "x".repeat(50_001)), false)
  assert.equal(await inbox.reply(thread.id, "Thank you."), true)
  await inbox.outbox.flush()
  const sealed = service.batches[0]?.replies?.[0]?.sealed ?? new Uint8Array()
  assert.equal(unpackMessage(await open(sealed, [ann.keys.identity])).message, "Thank you.")
  await assert.rejects(open(sealed, [ben.keys.identity]))
  context.mock.timers.reset()
  const colleague = await openInbox(context, service.drop)
  assert.deepEqual(colleague.threads()[0]?.note.replies, ["Thank you."])
  const stored = [...service.notes.values()].map((note) => Buffer.from(note).toString("latin1"))
  assert.ok(stored.every((note) => !note.includes("Thank you.")))
})

/** The replies that left, as a sender reads them, in their own order. */
async function readReplies(
  { batches }: ReturnType<typeof memoryDrop>,
  { keys }: Awaited<ReturnType<typeof sender>>,
): Promise<string[]> {
  const sealed = batches.flatMap(({ replies }) => replies ?? [])
  const opened = sealed.map(async (reply) =>
    unpackMessage(await open(reply.sealed, [keys.identity])),
  )
  // As a mailbox gives them: in no order.
  const replies = inReplyOrder((await Promise.all(opened)).toReversed())
  return replies.map(({ message }) => message.slice(0, 12))
}

test("replies say in which order they were written, over visits and colleagues, and the acknowledgement is the first", async (context) => {
  const service = memoryDrop()
  const ann = await sender()
  service.messages.set(idOf(1), await ann.send("bonjour"))
  const inbox = await openInbox(context, service.drop)
  const id = inbox.threads()[0]?.id ?? ""
  inbox.shown(id)
  for (const text of ["one", "two"]) await inbox.reply(id, text)
  await inbox.outbox.flush()
  const colleague = await openInbox(context, service.drop)
  await colleague.reply(id, "three")
  await colleague.outbox.flush()
  await inbox.sync(() => undefined)
  await inbox.reply(id, "four")
  await inbox.outbox.flush()
  assert.deepEqual(await readReplies(service, ann), ["Votre messag", "one", "two", "three", "four"])
})

test("nobody is told that a message has arrived after a colleague has answered it", async (context) => {
  const service = memoryDrop()
  const ann = await sender()
  service.messages.set(idOf(1), await ann.send("bonjour"))
  const slow = await openInbox(context, service.drop)
  const id = slow.threads()[0]?.id ?? ""
  slow.shown(id)
  const quick = await openInbox(context, service.drop)
  await quick.reply(id, "the answer")
  await quick.outbox.flush()
  await slow.outbox.flush()
  assert.deepEqual(await readReplies(service, ann), ["the answer"])
  assert.deepEqual(slow.outbox.items(), [])
  // What the colleague wrote is still in the note that the late one replaced.
  const third = await openInbox(context, service.drop)
  assert.deepEqual(third.threads()[0]?.note.replies, ["the answer"])
  assert.equal(service.notes.size, 1)
})

test("a note that waits does not take a colleague's newer note away", async (context) => {
  const service = memoryDrop()
  const ann = await sender()
  service.messages.set(idOf(1), await ann.send("bonjour"))
  const [first, second] = [
    await openInbox(context, service.drop),
    await openInbox(context, service.drop),
  ]
  const id = first.threads()[0]?.id ?? ""
  first.changeNote(id, { labels: ["mine"] })
  await second.reply(id, "theirs")
  await second.outbox.flush()
  await first.sync(() => undefined)
  await first.outbox.flush()
  const { labels, replies, answers } = first.threads()[0]?.note ?? {}
  assert.deepEqual(
    { labels, replies, answers },
    { labels: ["mine"], replies: ["theirs"], answers: 1 },
  )
})

test("what fails stays in the outbox, and a full mailbox is tried again under the same id", async (context) => {
  const service = memoryDrop()
  service.messages.set(idOf(1), await (await sender()).send("hello"))
  const inbox = await openInbox(context, service.drop)
  const [thread] = inbox.threads()
  assert.ok(thread !== undefined)
  await inbox.reply(thread.id, "one")
  service.state.online = false
  await assert.rejects(inbox.outbox.flush())
  assert.equal(inbox.outbox.items().length, 2)
  service.state.online = true
  service.state.full = true
  await inbox.outbox.flush()
  assert.equal(inbox.mailboxFull(), true)
  assert.deepEqual(
    inbox.outbox.items().map(({ kind }) => kind),
    ["reply"],
  )
  service.state.full = false
  await inbox.outbox.flush()
  const ids = service.batches.map(({ replies }) => replies?.[0]?.id)
  assert.equal(new Set(ids).size, 1)
  assert.deepEqual(inbox.outbox.items(), [])
})

test("nothing is sealed to keys that nobody confirmed, also when they change later", async (context) => {
  const service = memoryDrop()
  service.messages.set(idOf(1), await (await sender()).send("hello"))
  const inbox = await openInbox(context, service.drop)
  const stranger = await newIdentityFile(undefined, "x25519")
  service.state.keys.push(stranger.recipient)
  await inbox.sync(() => undefined)
  assert.equal(inbox.keysConfirmed(), false)
  const [thread] = inbox.threads()
  await inbox.reply(thread?.id ?? "", "secret")
  await assert.rejects(inbox.outbox.flush(), OpenerFailure)
  assert.deepEqual(service.batches, [])
})

test("deleting takes the messages and notes with it, and can be taken back before it leaves", async (context) => {
  const service = memoryDrop()
  const ann = await sender()
  service.messages.set(idOf(1), await ann.send("one"))
  service.messages.set(idOf(2), await ann.send("two", 1))
  const inbox = await openInbox(context, service.drop)
  const [thread] = inbox.threads()
  assert.ok(thread !== undefined)
  inbox.changeNote(thread.id, { labels: ["urgent"], muted: true })
  await inbox.outbox.flush()
  assert.equal(service.notes.size, 1)
  inbox.deleteThread(thread.id)
  assert.deepEqual(inbox.threads(), [])
  inbox.takeBack(idOf(1))
  assert.deepEqual(inbox.outbox.items(), [])
  assert.deepEqual(inbox.threads()[0]?.note.labels, ["urgent"])
  inbox.deleteThread(thread.id)
  await inbox.outbox.flush()
  assert.equal(service.messages.size, 0)
  assert.equal(service.notes.size, 0)
})

test("a reply that is taken back is not sent, and no note says that it was", async (context) => {
  const service = memoryDrop()
  service.messages.set(idOf(1), await (await sender()).send("hello"))
  const inbox = await openInbox(context, service.drop)
  const [thread] = inbox.threads()
  assert.ok(thread !== undefined)
  await inbox.reply(thread.id, "rash")
  inbox.takeBack(inbox.outbox.items().find(({ kind }) => kind === "reply")?.id ?? "")
  await inbox.outbox.flush()
  assert.deepEqual(service.batches[0]?.replies, [])
  assert.deepEqual(inbox.threads()[0]?.note.replies, [])
})

test("what cannot be opened is listed with the reason, beside what can", async (context) => {
  const service = memoryDrop()
  const stranger = await newIdentityFile(undefined, "x25519")
  const envelope = packMessage({
    sealedBy: "sender",
    mode: "one-way",
    lang: "en",
    message: "x",
    files: [],
  })
  const damaged = await seal(envelope, recipients)
  damaged[60_000] = (damaged[60_000] ?? 0) ^ 1
  service.messages.set(
    idOf(1),
    await seal(envelope, { suite: "x25519", keys: [stranger.recipient] }),
  )
  service.messages.set(idOf(2), damaged)
  service.messages.set(idOf(3), await (await sender()).send("hello"))
  const inbox = await openInbox(context, service.drop)
  assert.deepEqual(
    inbox.refused().map(({ id, fault }) => [id, fault]),
    [
      [idOf(1), "identity"],
      [idOf(2), "damaged"],
    ],
  )
  assert.equal(inbox.threads().length, 1)
})

test("T51: a message that is not what it was on an earlier visit is flagged, and the memory is sealed", async (context) => {
  const service = memoryDrop()
  const [ann, bob] = [await sender(), await sender()]
  const [first, second] = [await ann.send("one"), await bob.send("two")]
  service.messages.set(idOf(1), first)
  service.messages.set(idOf(2), second)
  const memory = newMemory()
  const strange = (inbox: Inbox): string[] =>
    inbox
      .threads()
      .flatMap(({ messages }) => messages)
      .map((message) => `${message.opened.message} ${message.strange ?? "as before"}`)
      .toSorted()
  const untouched = ["one as before", "two as before"]
  assert.deepEqual(strange(await openInbox(context, service.drop, memory)), untouched)
  assert.deepEqual(strange(await openInbox(context, service.drop, memory)), untouched)
  const kept = Buffer.from(memory.get() ?? [])
  assert.ok(kept.length > 65_536 && !kept.includes(idOf(1)))

  service.messages.set(idOf(1), await ann.send("forged"))
  service.messages.delete(idOf(2))
  service.messages.set(idOf(3), second)
  for (const visit of ["next", "the one after"]) {
    const found = strange(await openInbox(context, service.drop, memory))
    assert.deepEqual(found, ["forged changed", "two moved"], visit)
  }
  // Another recipient's memory in the same browser is neither read nor in the way.
  memory.set(randomBytes(70_000))
  assert.deepEqual(strange(await openInbox(context, service.drop, memory)), [
    "forged as before",
    "two as before",
  ])
})

test("after a key was added all messages and notes are sealed to it, and an old key can go", async (context) => {
  const service = memoryDrop()
  const ann = await sender()
  service.messages.set(idOf(1), await ann.send("one"))
  service.messages.set(idOf(2), await ann.send("two", 1))
  const inbox = await openInbox(context, service.drop)
  inbox.changeNote(inbox.threads()[0]?.id ?? "", { text: "a note" })
  await inbox.outbox.flush()
  const added = await newIdentityFile(undefined, "x25519")
  service.state.keys.push(added.recipient)
  await inbox.sync(() => undefined)
  await assert.rejects(
    inbox.reseal(() => undefined),
    OpenerFailure,
  )
  inbox.confirmKeys()
  assert.equal(await inbox.reseal(() => undefined), 0)
  const newcomer = createOpener()
  await newcomer.unlock(added.file, null)
  const texts = await Promise.all(
    [...service.messages.values()].map(async (sealed) => {
      const { message } = await newcomer.openMessage(new Blob([new Uint8Array(sealed)]))
      return message
    }),
  )
  assert.deepEqual(texts.toSorted(), ["one", "two"])
  const [note, ...others] = [...service.notes.values()]
  assert.equal(others.length, 0)
  const opened = await newcomer.openNote(new Blob([new Uint8Array(note ?? [])]))
  assert.equal(opened.text, "a note")
})

test("more than one batch takes is sent in several, all at once", async (context) => {
  const service = memoryDrop()
  service.messages.set(idOf(1), await (await sender()).send("hello"))
  const inbox = await openInbox(context, service.drop)
  const [thread] = inbox.threads()
  for (let i = 0; i < 105; i += 1) await inbox.reply(thread?.id ?? "", `reply ${i}`)
  await inbox.outbox.flush()
  assert.deepEqual(
    service.batches.map(({ replies }) => replies?.length),
    [100, 5],
  )
  assert.deepEqual(inbox.outbox.items(), [])
})

test("what is sent while a sync runs is not undone by it", async (context) => {
  const service = memoryDrop()
  service.messages.set(idOf(1), await (await sender()).send("hello"))
  const inbox = await openInbox(context, service.drop)
  const id = inbox.threads()[0]?.id ?? ""
  inbox.shown(id)
  const whole = service.drop.sync
  service.drop.sync = async (have) => {
    const { index, files } = await whole(have)
    const slow = (async function* () {
      yield* files
      // A batch that does not wait for its turn has the time to pass by.
      for (let i = 0; i < 20_000 && service.batches.length === 0; i += 1) await nextTurn()
    })()
    return { index, files: slow }
  }
  await Promise.all([inbox.sync(() => undefined), inbox.outbox.flush()])
  assert.equal(inbox.thread(id)?.note.acknowledged, true)
  inbox.shown(id)
  assert.deepEqual(inbox.outbox.items(), [])
})

test("a sync that breaks off changes nothing, and the next one brings all of it", async (context) => {
  const service = memoryDrop()
  const inbox = await openInbox(context, service.drop)
  service.messages.set(idOf(1), await (await sender()).send("one"))
  service.messages.set(idOf(2), await (await sender()).send("two"))
  const whole = service.drop.sync
  service.drop.sync = async (have) => {
    const { index, files } = await whole(have)
    const broken = (async function* () {
      const first = await files.next()
      if (first.done !== true) yield first.value
      throw new Error("broken off")
    })()
    return { index, files: broken }
  }
  await assert.rejects(inbox.sync(() => undefined))
  assert.deepEqual(inbox.threads(), [])
  service.drop.sync = whole
  await inbox.sync(() => undefined)
  assert.equal(inbox.threads().length, 2)
})

test("a thread is unread until it was on the screen, and again when its sender writes more", async (context) => {
  const service = memoryDrop()
  const [ann, ben] = [await sender(), await sender()]
  service.messages.set(idOf(1), await ann.send("first"))
  service.messages.set(idOf(2), await ben.send("other"))
  const memory = newMemory()
  const unread = (inbox: Inbox): readonly (readonly [string | undefined, boolean])[] =>
    inbox.threads().map((thread) => [thread.messages[0]?.opened.message, thread.unread])
  const inbox = await openInbox(context, service.drop, memory)
  assert.deepEqual(unread(inbox), [
    ["first", true],
    ["other", true],
  ])
  inbox.shown(inbox.threads()[0]?.id ?? "")
  await inbox.sync(() => undefined)
  assert.deepEqual(unread(inbox), [
    ["first", false],
    ["other", true],
  ])

  // On the next visit of this browser, and not of another.
  service.messages.set(idOf(3), await ben.send("more", 1))
  const later = await openInbox(context, service.drop, memory)
  assert.deepEqual(unread(later), [
    ["first", false],
    ["other", true],
  ])
  later.shown(later.threads()[1]?.id ?? "")
  await later.sync(() => undefined)
  service.messages.set(idOf(4), await ann.send("and more", 1))
  await later.sync(() => undefined)
  assert.deepEqual(unread(later), [
    ["first", true],
    ["other", false],
  ])
  const elsewhere = await openInbox(context, service.drop)
  assert.ok(elsewhere.threads().every((thread) => thread.unread))
})

test("a reply carries a file, cleaned, and one that does not fit changes nothing", async (context) => {
  const service = memoryDrop()
  const ann = await sender()
  service.messages.set(idOf(1), await ann.send("hello"))
  const inbox = await openInbox(context, service.drop)
  const id = inbox.threads()[0]?.id ?? ""
  const large = { bytes: randomBytes(65_536), keepMetadata: false }
  const refused = { name: "OpenerFailure", fault: "size" }
  await assert.rejects(inbox.reply(id, "see", large), refused)
  const broken = { bytes: Buffer.from("\x89PNG\r\n\x1a\nnot one", "latin1"), keepMetadata: false }
  await assert.rejects(inbox.reply(id, "see", broken), { name: "OpenerFailure", fault: "unclean" })
  assert.deepEqual(inbox.outbox.items(), [])

  const text = new TextEncoder().encode("the list you asked for")
  assert.equal(await inbox.reply(id, "", { bytes: text, keepMetadata: false }), true)
  await inbox.outbox.flush()
  const [reply] = service.batches[0]?.replies ?? []
  assert.ok(reply !== undefined)
  const opened = unpackMessage(await open(reply.sealed, [ann.keys.identity]))
  assert.equal(opened.message, "")
  assert.deepEqual(
    opened.files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]),
    [["attachment-1.txt", "the list you asked for"]],
  )
  assert.deepEqual(inbox.threads()[0]?.note.replies, [])
})
