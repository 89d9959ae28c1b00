import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { after, test } from "node:test"
import {
  emptyNote,
  inReplyOrder,
  newIdentityFile,
  newSecret,
  open,
  openMessage,
  packMessage,
  packNote,
  readIdentities,
  type MessageToPack,
  recipientsOf,
  seal,
  threadAddress,
  threadKeys,
  type ThreadKeys,
  threadName,
  threadOf,
  unpackMessage,
  unpackNote,
} from "@assay/core/drop"
import { writeTar } from "@assay/core/drop/tar"
import { loadWords } from "@assay/core/drop/words"
import { deleteMessage, listMessages, openMessageOf, replyTo } from "./drop-inbox.ts"
import { openInbox } from "./drop-inbox-folder.ts"
import type { Keyboard } from "./passphrase.ts"
import { dropNote, readQueue } from "./drop-queue.ts"
import { CommandError, type Terminal } from "./terminal.ts"

const home = mkdtempSync(join(tmpdir(), "assay-inbox-"))
after(() => rmSync(home, { recursive: true }))
const into = join(home, "inbox")
const identity = join(home, "identity.txt")
const made = await newIdentityFile(undefined, "x25519")
writeFileSync(identity, made.file)
const recipients = recipientsOf([made.recipient])
const DROP_ID = new Uint8Array(16).fill(7)
const folder = openInbox(into)
const english = await loadWords("en")

const id = (n: number): string => n.toString(16).padStart(2, "0").repeat(16)
const sender = await threadKeys(newSecret(), DROP_ID, "x25519")
const message = (over: Partial<MessageToPack> = {}): Uint8Array =>
  packMessage({
    sealedBy: "browser",
    mode: "two-way",
    lang: "en",
    thread: threadAddress(sender, 0),
    message: "Hello there",
    files: [],
    ...over,
  })

/** Puts these into the folder, as a sync would. */
async function fill(envelopes: readonly Uint8Array[]): Promise<void> {
  for (const kept of folder.ids("messages")) folder.remove("messages", kept)
  const sealed = await Promise.all(envelopes.map((envelope) => seal(envelope, recipients)))
  sealed.forEach((file, n) => folder.put("messages", id(n), file))
  folder.setIndex({
    drop_id: "07".repeat(16),
    recipients: [...recipients.keys],
    notes: [],
    messages: sealed.map((file, n) => ({
      id: id(n),
      size: file.length,
      purge_day: 20_800,
      effort: n,
    })),
  })
}

interface Ran {
  readonly out: string
  readonly err: string
}

async function ran(
  work: (terminal: Terminal, keyboard: Keyboard) => void | Promise<void>,
  input = "",
): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []]
  const terminal: Terminal = {
    env: {},
    user: "test",
    now: () => 0,
    print: (line) => void out.push(line),
    note: (line) => void err.push(line),
  }
  const stdin = new PassThrough()
  stdin.end(input)
  await work(terminal, { stdin, stderr: new PassThrough() } as unknown as Keyboard)
  return { out: out.join("\n"), err: err.join("\n") }
}

const list = (): Promise<Ran> =>
  ran((terminal, keyboard) => listMessages({ into, identity }, terminal, keyboard))
const opened = (which: string, to?: string): Promise<Ran> =>
  ran((terminal, keyboard) =>
    openMessageOf(
      which,
      { into, identity, ...(to === undefined ? {} : { to }) },
      terminal,
      keyboard,
    ),
  )
const replied = (which: string, text: string, attach?: string): Promise<Ran> =>
  ran(
    (terminal, keyboard) =>
      replyTo(which, { into, identity, ...(attach && { attach }) }, terminal, keyboard),
    text,
  )

test("messages are listed by thread, with who sealed them, and nothing is left out", async () => {
  const other = await threadKeys(newSecret(), DROP_ID, "x25519")
  await fill([
    message(),
    message({ thread: threadAddress(sender, 1), message: "And one more", sealedBy: "server" }),
    message({ thread: threadAddress(other, 0), message: "From somebody else" }),
    packMessage({ sealedBy: "sender", mode: "one-way", lang: "fr", message: "Seul", files: [] }),
  ])
  folder.put("messages", id(3), folder.sealed("messages", id(3)).subarray(0, -1))
  const { out } = await list()
  const name = (keys: ThreadKeys): string => threadName(threadAddress(keys, 0), english)
  const lines = out.split("\n")
  assert.equal(lines[0], `Thread ${name(sender)}`)
  assert.match(
    lines[1] ?? "",
    /^ {2}0{12} {2}sealed by browser {2}no files {2}no extra work {2}until 2026-12-13 {2}Hello there$/,
  )
  assert.match(
    lines[2] ?? "",
    /sealed by server, which could read it .* {2}worked 2 times as long {2}.* And one more$/,
  )
  assert.equal(lines[3], `Thread ${name(other)}`)
  assert.match(lines[5] ?? "", /^0{0}030303030303 {2}cannot be shown: it was changed or cut off/)
  assert.equal(lines.length, 6)
})

test("T51: a message that the server stored twice is listed as one that came again", async () => {
  const envelope = message()
  await fill([envelope, envelope])
  const { out } = await list()
  assert.match(out, /\n {2}010101010101 {2}came again /)
  assert.equal(out.match(/came again/g)?.length, 1)
})

test("T50: two threads that name one mailbox with different keys are shown with a warning and two names", async () => {
  const address = threadAddress(sender, 0)
  const { replyTo: stranger } = await threadKeys(newSecret(), DROP_ID, "x25519")
  await fill([message(), message({ thread: { ...address, reply_to: stranger } })])
  const { out } = await list()
  assert.equal(out.match(/Warning: another thread names the same mailbox/g)?.length, 2)
  assert.equal(new Set(out.match(/^Thread .*$/gm)).size, 2)
})

test("T48: what moves a cursor, hides or turns text is written out on a terminal, in text and in names", async () => {
  const hostile = "<script>\u001b[2J\u001b]0;x\u0007 a\u202eb\u200bc\u0000\ud800 \u009b31m"
  const jpg = { bytes: new Uint8Array([1]), type: "image/jpeg", extension: ".jpg" } as const
  await fill([
    message({
      message: hostile,
      files: [{ ...jpg, metadata: "kept", originalName: "../\u001b[2Jx\u202egpj.exe" }],
    }),
  ])
  for (const { out, err } of [await list(), await opened("0000")]) {
    assert.match(out, /<script>/)
    const shown = `${out}\n${err}`
    for (const sign of shown)
      assert.ok(sign === "\n" || !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(sign), JSON.stringify(sign))
  }
})

test("T46, T49: files are written only where a folder is named, under names of ours, and replace nothing", async () => {
  const jpg = { bytes: new Uint8Array([1, 2]), type: "image/jpeg", extension: ".jpg" } as const
  await fill([message({ files: [{ ...jpg, metadata: "stripped", originalName: "../../etc/x" }] })])
  const before = readdirSync(home).length
  await opened("0000")
  assert.equal(readdirSync(home).length, before)
  const to = join(home, "saved")
  await opened("0000", to)
  assert.deepEqual(readdirSync(to).toSorted(), ["attachment-1.jpg", "message.txt"])
  assert.equal(readFileSync(join(to, "message.txt"), "utf8"), "Hello there")
  assert.equal(statSync(join(to, "attachment-1.jpg")).mode & 0o777, 0o600)
  await assert.rejects(opened("0000", to), /new or empty folder/)

  const evil = [{ name: "../evil", bytes: new Uint8Array([1]) }]
  await fill([writeTar(evil, 65_536)])
  await assert.rejects(opened("0000", join(home, "evil")), (error) => {
    assert.ok(error instanceof CommandError)
    assert.match(error.message, /not the archive of a message/)
    return !error.message.includes("evil")
  })
  assert.ok(!readdirSync(home).includes("evil"))
})

test("T4: a reply waits sealed, opens with the sender's key and with each recipient's, and leaves no text behind", async () => {
  await fill([message()])
  await replied("0000", "A reply with a canary")
  const { replies } = readQueue(folder)
  const [reply] = replies
  assert.ok(reply !== undefined && replies.length === 1)
  const { mailbox, delete_verifier: verifier } = threadAddress(sender, 0)
  assert.deepEqual([reply.mailbox, reply.deleteVerifier], [mailbox, verifier])
  const [own = ""] = readFileSync(identity, "utf8").match(/^AGE-SECRET-KEY-.*$/m) ?? []
  for (const key of [sender.identity, own]) {
    const { message: text, manifest } = await openMessage(reply.sealed, [key])
    assert.equal(text, "A reply with a canary")
    assert.equal(manifest.thread, undefined)
  }
  // The same with the tools of the machine.
  const sealed = join(home, "reply.age")
  writeFileSync(sealed, reply.sealed)
  const tar = execFileSync("age", ["-d", "-i", identity, sealed], { maxBuffer: 1e6 })
  assert.equal(
    execFileSync("tar", ["-xOf", "-", "message.txt"], { input: tar }).toString(),
    "A reply with a canary",
  )
  for (const entry of readdirSync(into, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    assert.ok(!readFileSync(path).includes("canary"), path)
    assert.equal(statSync(path).mode & 0o077, 0, path)
  }
})

test("replies are numbered after all that were written, and one sealed note informs colleagues", async () => {
  const own = readIdentities(made.file)
  await fill([message()])
  const about = threadOf(unpackMessage(message()).manifest)
  const note = { ...emptyNote(about), labels: ["urgent"], replies: ["from the page"], answers: 4 }
  const other = { ...emptyNote("another thread"), answers: 9 }
  folder.put("notes", id(8), await seal(packNote(note), recipients))
  folder.put("notes", id(9), await seal(packNote(other), recipients))
  const before = new Set(readQueue(folder).replies.map((reply) => reply.id))
  for (const waiting of readQueue(folder).notes) dropNote(folder, waiting.id)
  await replied("0000", "a fifth")
  await replied("0000", "a sixth")
  const queue = readQueue(folder)
  const written = queue.replies.filter((reply) => !before.has(reply.id))
  const opened = await Promise.all(
    written.map(async ({ sealed }) => await openMessage(sealed, [sender.identity])),
  )
  assert.deepEqual(
    inReplyOrder(opened).map(({ message: text, manifest }) => [manifest.order, text]),
    [
      [5, "a fifth"],
      [6, "a sixth"],
    ],
  )
  const [waiting, ...others] = queue.notes
  assert.ok(waiting !== undefined && others.length === 0)
  assert.deepEqual(waiting.replaces, [id(8)])
  assert.deepEqual(unpackNote(await open(waiting.sealed, await own)), {
    ...note,
    acknowledged: true,
    replies: ["from the page", "a fifth", "a sixth"],
    answers: 6,
  })
  for (const kept of [8, 9]) folder.remove("notes", id(kept))
})

test("a reply cannot be empty, too large, to a one-way message, or in other bytes than UTF-8", async () => {
  await fill([
    message(),
    packMessage({ sealedBy: "sender", mode: "one-way", lang: "fr", message: "Seul", files: [] }),
  ])
  const waiting = readQueue(folder).replies.length
  await assert.rejects(replied("0000", ""), /needs a text or a file/)
  await assert.rejects(replied("0000", "x".repeat(50_001)), /at most 50,000 bytes/)
  await assert.rejects(replied("0101", "hello"), /one-way/)
  await assert.rejects(replied("ffff", "hello"), /No message has an id/)
  await assert.rejects(replied("0", "hello"), /at least four characters/)
  const large = join(home, "large.bin")
  writeFileSync(large, Buffer.alloc(66_000))
  await assert.rejects(replied("0000", "hello", large), /64 kB together/)
  const latin = join(home, "latin.txt")
  writeFileSync(latin, Buffer.from([0xe9]))
  await assert.rejects(
    ran((terminal, keyboard) =>
      replyTo("0000", { into, identity, messageFile: latin }, terminal, keyboard),
    ),
    /must be UTF-8/,
  )
  assert.equal(readQueue(folder).replies.length, waiting)
})

test("a deletion waits, and names the message once however often it is asked for", async () => {
  await fill([message()])
  await ran((terminal) => deleteMessage("0000", { into }, terminal))
  await ran((terminal) => deleteMessage("000000", { into }, terminal))
  assert.deepEqual(readQueue(folder).deletions, [id(0)])
  assert.equal(
    await open(folder.sealed("messages", id(0)), [sender.identity]).catch(() => null),
    null,
  )
})

test("an identity file that does not fit, or is none, is refused in one sentence", async () => {
  await fill([message()])
  const stranger = join(home, "stranger.txt")
  writeFileSync(stranger, (await newIdentityFile(undefined, "x25519")).file)
  const { out } = await ran((terminal, keyboard) =>
    listMessages({ into, identity: stranger }, terminal, keyboard),
  )
  assert.equal(out, "000000000000  cannot be shown: this identity file does not open it")
  for (const wrong of [join(home, "missing"), join(into, "index.json")]) {
    await assert.rejects(
      ran((terminal, keyboard) => listMessages({ into, identity: wrong }, terminal, keyboard)),
      CommandError,
    )
  }
  const empty = join(home, "empty")
  await assert.rejects(
    ran((terminal, keyboard) => listMessages({ into: empty, identity }, terminal, keyboard)),
    /`npx assay drop sync` fetches them/,
  )
})
