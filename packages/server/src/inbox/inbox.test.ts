import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { buffer, json } from "node:stream/consumers"
import { after, before, beforeEach, test } from "node:test"
import type {
  DropBatchActions,
  DropBatchResult,
  DropIndex,
  DropKeys,
  ProblemCode,
} from "@assay/core/contract"
import {
  emptyNote,
  mailboxTag,
  packNote,
  packReply,
  type Recipients,
  replyRecipients,
  seal,
  type Suite,
} from "@assay/core/drop"
import { readTar, tarSize, writeTar } from "@assay/core/drop/tar"
import { generateHybridIdentity, generateX25519Identity, identityToRecipient } from "age-encryption"
import { Problem } from "../base/problem.ts"
import type { Drops } from "@assay/drop/store/drops"
import { bring, newId } from "@assay/drop/testing/store/drops-suite"
import { openSqliteDrops } from "@assay/drop/store/sqlite-drops"
import { DAY_MS } from "@assay/runtime/time"
import { openKeys } from "@assay/drop/keys-in-use"
import { type AskDrop, askDropAt } from "./ask-drop.ts"
import { serveRecipients } from "@assay/drop/recipient-server"
import { syncArchive } from "@assay/drop/sync-archive"

const root = mkdtempSync(join(tmpdir(), "assay-recipients-"))
const folder = join(root, "drop")
const socket = join(root, "recipients.sock")
const faults: unknown[] = []
const mailbox = randomBytes(32)
const today = 20_000

let drops: Drops
let inbox: ReturnType<typeof inboxAt>
let server: { close(): Promise<void> }
let recipients: Recipients
let replyTo: string

before(async () => {
  drops = await openSqliteDrops(folder)
  const keys = await openKeys(folder, await drops.dropId())
  server = await serveRecipients(socket, {
    drops,
    dropId: await drops.dropId(),
    folder,
    keys,
    retentionDays: 30,
    now: () => today * DAY_MS,
    onFault: (error) => void faults.push(error),
  })
  inbox = inboxAt(socket)
  recipients = await newRecipients(2)
  replyTo = (await newRecipients(1)).keys[0] ?? ""
})
beforeEach(async () => {
  await drops.deleteMessages((await drops.messages()).map(({ id }) => id))
  await drops.deleteNotes(await drops.notes())
})
after(async () => {
  await server.close()
  await drops.close()
  rmSync(root, { recursive: true })
})

async function newRecipients(count: number, suite: Suite = "x25519"): Promise<Recipients> {
  const generate = suite === "pq" ? generateHybridIdentity : generateX25519Identity
  const keys = await Promise.all(
    Array.from({ length: count }, async () => await identityToRecipient(await generate())),
  )
  return { suite, keys }
}

/** Calls as the routes make them. */
function inboxAt(path: string) {
  const ask: AskDrop = askDropAt(path)
  return {
    sync: (have: readonly string[]) => ask("/sync", JSON.stringify({ have })),
    batch: async (archive: Uint8Array) =>
      (await json(await ask("/batch", Readable.from([archive])))) as DropBatchResult,
    keys: async () => (await json(await ask("/keys"))) as DropKeys,
    setFirstKeys: async (keys: readonly string[]) =>
      (await json(await ask("/keys", JSON.stringify({ recipients: keys })))) as DropKeys,
  }
}

const refusedWith =
  (code: ProblemCode) =>
  (error: unknown): boolean =>
    error instanceof Problem && error.code === code

const members = (archive: Uint8Array): Map<string, Uint8Array> =>
  new Map(
    readTar(archive, { allowed: /./, membersMax: 100, bytesMax: 40_000_000 }).map((member) => [
      member.name,
      member.bytes,
    ]),
  )
const indexIn = (archive: Uint8Array): DropIndex =>
  JSON.parse(Buffer.from(members(archive).get("index.json") ?? []).toString()) as DropIndex

function archiveOf(
  actions: Partial<DropBatchActions> | string,
  files: Record<string, Uint8Array> = {},
): Uint8Array {
  const none = { replies: [], delete: [], notes: [], delete_notes: [] }
  const text = typeof actions === "string" ? actions : JSON.stringify({ ...none, ...actions })
  const all = [
    { name: "actions.json", bytes: Buffer.from(text) },
    ...Object.entries(files).map(([name, bytes]) => ({ name, bytes })),
  ]
  return writeTar(all, tarSize(all))
}

async function reply(to: Recipients = recipients, id = newId()) {
  const envelope = packReply({ sealedBy: "browser", lang: "en", message: "We have read it." })
  const sealed = await seal(envelope, replyRecipients({ reply_to: replyTo }, to))
  const file = `reply-${id}.age`
  const action = { id, mailbox: mailbox.toString("hex"), delete_verifier: "ab".repeat(32), file }
  return { action, file, sealed }
}

test("first keys are set once, by the first request, and never again here", async () => {
  assert.deepEqual((await inbox.keys()).recipients, [])
  const wrong = [["age1"], [], [recipients.keys[0] ?? "", recipients.keys[0] ?? ""]]
  for (const keys of wrong) {
    await assert.rejects(inbox.setFirstKeys(keys), refusedWith("drop-keys-refused"))
    assert.ok(!existsSync(join(folder, "keys.txt")))
  }
  const secret = await generateX25519Identity()
  await assert.rejects(inbox.setFirstKeys([secret]), (error: Problem) => {
    assert.equal(error.code, "drop-keys-refused")
    assert.ok(!error.message.includes(secret))
    return true
  })
  // A file damaged by hand is kept, so that someone can repair it.
  writeFileSync(join(folder, "keys.txt"), "age1damaged\n")
  await assert.rejects(inbox.setFirstKeys(recipients.keys), refusedWith("drop-keys-exist"))
  rmSync(join(folder, "keys.txt"))
  const others = await newRecipients(1)
  const outcomes = await Promise.allSettled([
    inbox.setFirstKeys(recipients.keys),
    inbox.setFirstKeys(others.keys),
  ])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected"],
  )
  const set = await inbox.keys()
  assert.deepEqual(set.recipients, recipients.keys)
  assert.equal(set.drop_id, Buffer.from(await drops.dropId()).toString("hex"))
  await assert.rejects(inbox.setFirstKeys(others.keys), refusedWith("drop-keys-exist"))
  assert.ok(readFileSync(join(folder, "keys.txt"), "utf8").includes(recipients.keys[1] ?? "-"))
})

test("a sync is an archive that stock tar reads, of all but what is here already", async () => {
  const [small, large, had] = [randomBytes(70_000), randomBytes(600_000), randomBytes(70_000)]
  const first = await bring(drops, small, { pieceBytes: 262_144, effort: 2 })
  const second = await bring(drops, large, { pieceBytes: 262_144 })
  const third = await bring(drops, had, { pieceBytes: 262_144 })
  const note = { id: newId(), sealed: randomBytes(500) }
  await drops.putNote(note, [], today + 30)
  const archive = await buffer(await inbox.sync([third.id]))
  const listed = spawnSync("tar", ["-tf", "-"], { input: archive, encoding: "utf8" })
  const expected = [
    "index.json",
    ...[first.id, second.id].sort().map((id) => `${id}.age`),
    `note-${note.id}.age`,
  ]
  assert.deepEqual(listed.stdout.trim().split("\n"), expected)
  const found = members(archive)
  assert.ok(small.equals(found.get(`${first.id}.age`) ?? new Uint8Array()))
  assert.ok(large.equals(found.get(`${second.id}.age`) ?? new Uint8Array()))
  assert.ok(note.sealed.equals(found.get(`note-${note.id}.age`) ?? new Uint8Array()))
  const index = indexIn(archive)
  assert.deepEqual(index.recipients, recipients.keys)
  assert.deepEqual(index.notes, [note.id])
  assert.deepEqual(
    index.messages.map(({ id }) => id),
    [first.id, second.id, third.id].sort(),
  )
  const shown = index.messages.find(({ id }) => id === first.id)
  assert.deepEqual(Object.keys(shown ?? {}).sort(), ["effort", "id", "purge_day", "size"])
  assert.deepEqual([shown?.size, shown?.effort], [70_000, 2])
})

test("messages that were fetched, or that the recipient has, are read; one that broke off is unread", async () => {
  const large = await bring(drops, randomBytes(8_000_000), { pieceBytes: 262_144 })
  const unread = async (): Promise<string[]> =>
    (await drops.messages()).filter((message) => message.unread).map(({ id }) => id)
  const broken = await inbox.sync([])
  await new Promise((resolve) => broken.once("data", resolve))
  broken.destroy()
  await new Promise((resolve) => broken.once("close", resolve))
  assert.deepEqual(await unread(), [large.id])
  await buffer(await inbox.sync([]))
  // Marked once the last byte has left, which the reader cannot wait for.
  while ((await unread()).length > 0) await inbox.keys()
  const other = await bring(drops, randomBytes(100))
  const archive = await buffer(await inbox.sync([large.id, other.id]))
  assert.deepEqual([...members(archive).keys()], ["index.json"])
  assert.deepEqual(await unread(), [])
  assert.deepEqual(faults, [])
})

test("an archive is made piece by piece, and a message that goes meanwhile is left out or ends it", async () => {
  for (const n of [0, 1, 2]) await bring(drops, Buffer.alloc(900, n), { pieceBytes: 300 })
  let pieces = 0
  const counted: Drops = {
    ...drops,
    piece: async (id, index) => (pieces++, await drops.piece(id, index)),
  }
  const archive = (): AsyncGenerator<Uint8Array> =>
    syncArchive({
      drops: counted,
      dropId: new Uint8Array(16),
      recipients: [],
      have: new Set(),
      onSent: () => undefined,
    })
  const reading = archive()
  for (let n = 0; n < 5; n++) await reading.next()
  assert.equal(pieces, 1)
  const ids = (await drops.messages()).map(({ id }) => id)
  await drops.deleteMessages(ids.slice(1, 2))
  const rest: Uint8Array[] = []
  for await (const piece of reading) rest.push(piece)
  assert.ok(!Buffer.concat(rest).includes(`${ids[1] ?? "-"}.age`))
  assert.ok(Buffer.concat(rest).includes(`${ids[2] ?? "-"}.age`))
  const cut = archive()
  for (let n = 0; n < 5; n++) await cut.next()
  await drops.deleteMessages(ids)
  await assert.rejects(async () => {
    for await (const piece of cut) assert.ok(piece)
  })
})

test("an archive ends where a message is sealed anew while it is fetched, and never holds half of each", async () => {
  const { id } = await bring(drops, Buffer.alloc(900, 1), { pieceBytes: 300 })
  const reading = syncArchive({
    drops,
    dropId: new Uint8Array(16),
    recipients: [],
    have: new Set(),
    onSent: () => assert.fail("it was not sent whole"),
  })
  // The index in three parts, the frame of the message and its first piece.
  for (let n = 0; n < 5; n++) await reading.next()
  const upload = newId()
  for (const n of [0, 1, 2]) await drops.appendPiece(upload, n, Buffer.alloc(300, 2))
  assert.ok(await drops.reseal(id, upload, 900))
  await assert.rejects(async () => {
    for await (const piece of reading) assert.ok(piece)
  }, /sealed anew/)
})

test("a batch does all it says, and the same batch again changes nothing", async () => {
  const [gone, kept] = [await bring(drops), await bring(drops)]
  const old = { id: newId(), sealed: randomBytes(10) }
  await drops.putNote(old, [], today + 30)
  const { action, file, sealed } = await reply()
  const note = { id: newId(), replaces: [old.id], file: `note-${newId()}.age` }
  const sealedNote = await seal(packNote(emptyNote("thread")), recipients)
  const batch = archiveOf(
    { replies: [action], delete: [gone.id], notes: [note], delete_notes: [newId()] },
    { [file]: sealed, [note.file]: sealedNote },
  )
  for (const outcome of ["stored", "known"]) {
    assert.deepEqual(await inbox.batch(batch), { replies: [{ id: action.id, outcome }] })
    const waiting = await drops.replies(mailboxTag(mailbox))
    assert.equal(waiting.length, 1)
    assert.ok(Buffer.from(sealed).equals(waiting[0] ?? new Uint8Array()))
    assert.deepEqual(await drops.notes(), [note.id])
    assert.deepEqual(
      (await drops.messages()).map(({ id }) => id),
      [kept.id],
    )
  }
  // Replies follow the same rule as messages.
  await drops.purge({ day: today + 29 })
  assert.equal((await drops.replies(mailboxTag(mailbox))).length, 1)
  await drops.deleteReplies(mailboxTag(mailbox), Buffer.from("ab".repeat(32), "hex"))
  assert.deepEqual(await drops.replies(mailboxTag(mailbox)), [])
})

test("T7, T43: a reply has the one size of replies, and a full mailbox takes no fifth", async () => {
  const replies = await Promise.all(Array.from({ length: 5 }, () => reply()))
  assert.equal(new Set(replies.map(({ sealed }) => sealed.length)).size, 1)
  const outcome = await inbox.batch(
    archiveOf(
      { replies: replies.map(({ action }) => action) },
      Object.fromEntries(replies.map(({ file, sealed }) => [file, sealed])),
    ),
  )
  assert.deepEqual(
    outcome.replies.map((each) => each.outcome),
    ["stored", "stored", "stored", "stored", "full"],
  )
  await drops.deleteReplies(mailboxTag(mailbox), Buffer.from("ab".repeat(32), "hex"))
})

test("T5, T11: a batch that is wrong anywhere is refused as a whole", async () => {
  const kept = await bring(drops)
  const { action, file, sealed } = await reply()
  const forAll = (changed: Uint8Array): Uint8Array =>
    archiveOf({ replies: [action], delete: [kept.id] }, { [file]: changed })
  const flipped = Uint8Array.from(sealed)
  flipped[5] = 0
  const pq = await newRecipients(2, "pq")
  const wrong: Record<string, Uint8Array> = {
    nothing: new Uint8Array(),
    "no archive": randomBytes(2048),
    "an archive that is cut": forAll(sealed).subarray(0, 40_000),
    "no actions": writeTar([{ name: file, bytes: sealed }], 70_000 + 2048 - (70_000 % 512)),
    "actions that are no JSON": archiveOf("{"),
    "actions of another form": archiveOf('{"replies":[{}]}'),
    "an id of another form": archiveOf({ delete: ["../../keys.txt"] }),
    "a file outside": archiveOf({ replies: [{ ...action, file: "../x" }] }, { [file]: sealed }),
    "a file that is not there": archiveOf({ replies: [action], delete: [kept.id] }),
    "a file that nobody names": archiveOf({ delete: [kept.id] }, { [file]: sealed }),
    "a file for two replies": archiveOf(
      { replies: [action, { ...action, id: newId() }] },
      { [file]: sealed },
    ),
    "plain text": forAll(Buffer.alloc(sealed.length, "hello ")),
    "a byte too much": forAll(Buffer.concat([sealed, Buffer.alloc(1)])),
    "a byte too few": forAll(sealed.subarray(0, -1)),
    "a changed header": forAll(flipped),
    "a key too few": forAll((await reply(await newRecipients(1))).sealed),
    "a key too many": forAll((await reply(await newRecipients(3))).sealed),
    "a larger size": forAll(
      await seal(new Uint8Array(131_072), replyRecipients({ reply_to: replyTo }, recipients)),
    ),
    "another suite": forAll(
      await seal(
        packReply({ sealedBy: "browser", lang: "en", message: "x" }),
        replyRecipients({ reply_to: replyTo, reply_to_pq: pq.keys[0] ?? "" }, pq),
      ),
    ),
    "a note sealed like a reply": archiveOf(
      { notes: [{ id: newId(), replaces: [], file }], delete: [kept.id] },
      { [file]: sealed },
    ),
  }
  for (const [name, body] of Object.entries(wrong)) {
    await assert.rejects(inbox.batch(body), refusedWith("drop-batch-refused"), name)
    assert.deepEqual(await drops.replies(mailboxTag(mailbox)), [], name)
    assert.equal((await drops.messages()).length, 1, name)
    assert.deepEqual(await drops.notes(), [], name)
  }
  await assert.rejects(inbox.batch(new Uint8Array(9_000_000)), refusedWith("body-too-large"))
})

test("only the owner reaches the socket, and a drop that is gone is reported as such", async () => {
  assert.equal(statSync(socket).mode & 0o777, 0o600)
  const nobody = inboxAt(join(root, "nobody.sock"))
  for (const ask of [nobody.sync([]), nobody.keys(), nobody.batch(archiveOf({}))])
    await assert.rejects(ask, refusedWith("drop-unavailable"))
})
