import assert from "node:assert/strict"
import { createHash, randomBytes } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { after, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { Encrypter, generateIdentity, identityToRecipient } from "age-encryption"

import {
  bring,
  days,
  dropsSuite,
  newId,
  newReply,
  refusedAs,
  sealedOf,
  today,
} from "../../testing/store/drops-suite.ts"
import { openSqliteDrops } from "./sqlite-drops.ts"

const root = mkdtempSync(join(tmpdir(), "assay-drops-"))
after(() => rmSync(root, { recursive: true }))
let folders = 0
const newFolder = (): string => join(root, String(++folders))

dropsSuite("sqlite", async () => {
  const folder = newFolder()
  return async () => await openSqliteDrops(folder)
})

/**
 * Every byte the store has on the disk but its random reserve: its file, a journal, leftovers of a
 * rewrite.
 */
const bytesIn = (folder: string): Buffer =>
  Buffer.concat(
    readdirSync(folder)
      .filter((name) => name !== "reserve")
      .map((name) => readFileSync(join(folder, name))),
  )

test("sqlite: nobody but the owner may read the folder and the file, also after a rewrite", async () => {
  const folder = newFolder()
  const drops = await openSqliteDrops(folder)
  await bring(drops)
  for (const step of ["made", "rewritten"]) {
    assert.deepEqual(readdirSync(folder), ["drops.sqlite", "reserve"], step)
    assert.equal(statSync(folder).mode & 0o777, 0o700, step)
    for (const name of readdirSync(folder))
      assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
    await drops.rewrite()
  }
  await drops.close()
})

test("sqlite: no table has a row number or a time, before and after a rewrite", async () => {
  const folder = newFolder()
  const drops = await openSqliteDrops(folder)
  await drops.rewrite()
  await drops.close()
  const database = new DatabaseSync(join(folder, "drops.sqlite"), { readOnly: true })
  const tables = database.prepare("select name, sql from sqlite_schema where type = 'table'").all()
  assert.equal(tables.length, 6)
  for (const { name, sql } of tables) {
    assert.match(String(sql), /without rowid$/, String(name))
    assert.throws(() => database.prepare(`select rowid from ${String(name)}`), String(name))
    assert.doesNotMatch(String(sql), /time|date|created|arriv|\bat\b/i)
  }
  assert.equal(database.prepare("pragma auto_vacuum").get()?.["auto_vacuum"], 1)
  assert.equal(database.prepare("pragma journal_mode").get()?.["journal_mode"], "delete")
  database.close()
})

test("T18: what was deleted, withdrawn, purged or abandoned is in no byte of the files", async () => {
  const folder = newFolder()
  const drops = await openSqliteDrops(folder)
  const around = await Promise.all(
    Array.from({ length: 6 }, () => bring(drops, randomBytes(70_000))),
  )
  const canaries: Record<string, Buffer> = {}
  const canary = (name: string): Buffer => (canaries[name] = randomBytes(70_000))
  const deleted = await bring(drops, canary("deleted"))
  const withdrawn = await bring(drops, canary("withdrawn"))
  const reply = newReply({ sealed: canary("reply") })
  await drops.postReply(reply, days)
  const note = { id: randomBytes(16).toString("hex"), sealed: canary("note") }
  await drops.putNote(note, [], today + 30)
  const abandoned = randomBytes(16).toString("hex")
  await drops.appendPiece(abandoned, 0, canary("abandoned"))
  /** Any part of it, so that a page that was moved and left behind is found too. */
  const left = (): string[] => {
    const bytes = bytesIn(folder)
    return Object.entries(canaries)
      .filter(([, value]) =>
        Array.from({ length: 35 }, (_, n) => value.subarray(n * 2000, n * 2000 + 24)).some(
          (stretch) => bytes.includes(stretch),
        ),
      )
      .map(([name]) => name)
  }
  assert.deepEqual(left(), Object.keys(canaries))
  await drops.deleteMessages([deleted.id])
  await drops.withdraw([withdrawn.verifier])
  await drops.deleteReplies(reply.tag, reply.deleteVerifier)
  await drops.deleteNotes([note.id])
  await drops.abandonUpload(abandoned)
  assert.deepEqual(left(), [])
  for (const { verifier } of [deleted, withdrawn]) assert.ok(!bytesIn(folder).includes(verifier))
  assert.ok(!bytesIn(folder).includes(reply.tag))
  const purged = canary("purged")
  await bring(drops, purged)
  await drops.purge({ day: today + 38 })
  assert.deepEqual(left(), [])
  for (const { id } of around) assert.ok(!bytesIn(folder).includes(Buffer.from(id, "hex")))
  await drops.close()
  assert.deepEqual(left(), [])
})

test("T31: after a rewrite the file is the same to the byte, whichever message came first", async () => {
  const made = newFolder()
  await (await openSqliteDrops(made)).close()
  const messages = Array.from({ length: 12 }, (_, n) => ({
    id: randomBytes(16).toString("hex"),
    sealed: randomBytes(n % 3 === 0 ? 140_000 : 65_736),
  }))
  const verifier = (id: string): Uint8Array => createHash("sha256").update(id).digest()
  const imageOf = async (order: typeof messages, together: boolean): Promise<Buffer> => {
    const folder = newFolder()
    mkdirSync(folder)
    // The same drop each time: another one has another id.
    copyFileSync(join(made, "drops.sqlite"), join(folder, "drops.sqlite"))
    const drops = await openSqliteDrops(folder, { fuzz: () => 3 })
    const put = async ({ id, sealed }: { id: string; sealed: Buffer }): Promise<void> => {
      for (let i = 0; i * 65_536 < sealed.length; i++)
        await drops.appendPiece(id, i, sealed.subarray(i * 65_536, (i + 1) * 65_536))
      const withdrawVerifier = verifier(id)
      await drops.finishUpload({ id, size: sealed.length, withdrawVerifier, effort: 0, ...days })
    }
    if (together) await Promise.all(order.map(put))
    else for (const message of order) await put(message)
    await drops.rewrite()
    await drops.close()
    return readFileSync(join(folder, "drops.sqlite"))
  }
  const backwards = [...messages].reverse()
  const [one, other, third] = [
    await imageOf(messages, false),
    await imageOf(backwards, false),
    await imageOf(backwards, true),
  ]
  assert.ok(one.length > 12 * 65_536)
  // The head counts transactions: how many there were, of all kinds, is not which came first.
  for (const image of [one, other, third]) {
    image.fill(0, 24, 28)
    image.fill(0, 92, 96)
  }
  assert.ok(one.equals(other))
  assert.ok(one.equals(third))
})

test("T32: two messages of one thread share no value in any column and no bytes", async () => {
  const folder = newFolder()
  const drops = await openSqliteDrops(folder, { fuzz: () => 0 })
  const recipient = await identityToRecipient(await generateIdentity())
  const replyTo = await identityToRecipient(await generateIdentity())
  const mailbox = randomBytes(32).toString("hex")
  const seal = async (n: number): Promise<Uint8Array> => {
    const encrypter = new Encrypter()
    encrypter.addRecipient(recipient)
    const thread = { mailbox, reply_to: replyTo, delete_verifier: "ab".repeat(32), n }
    const envelope = new Uint8Array(65_536)
    new TextEncoder().encodeInto(JSON.stringify({ v: 1, thread }), envelope)
    return await encrypter.encrypt(envelope)
  }
  await bring(drops, Buffer.from(await seal(0)))
  await bring(drops, Buffer.from(await seal(1)))
  await drops.close()
  const database = new DatabaseSync(join(folder, "drops.sqlite"), { readOnly: true })
  const rows = database.prepare("select id, withdraw_verifier from blob").all()
  const bytesOf = ({ id, withdraw_verifier }: (typeof rows)[number]): Buffer =>
    Buffer.concat([
      id as Uint8Array,
      withdraw_verifier as Uint8Array,
      ...database
        .prepare("select data from chunk where id = ? order by i")
        .all(id ?? null)
        .map((row) => row["data"] as Uint8Array),
    ])
  const [first, second] = rows.map(bytesOf) as [Buffer, Buffer]
  database.close()
  // What every age file in the world begins with, and the name of a suite that all senders use.
  const common = ["age-encryption.org/v1\n-> X25519 ", "\n--- "]
  const windows = new Set<string>()
  const windowBytes = 8
  for (let at = 0; at + windowBytes <= first.length; at++)
    windows.add(first.toString("latin1", at, at + windowBytes))
  const shared: string[] = []
  for (let at = 0; at + windowBytes <= second.length; at++) {
    const window = second.toString("latin1", at, at + windowBytes)
    if (windows.has(window) && !common.some((text) => text.includes(window))) shared.push(window)
  }
  assert.deepEqual(shared, [])
  for (const secret of [Buffer.from(mailbox, "hex"), mailbox, replyTo, recipient])
    assert.ok(!bytesIn(folder).includes(secret))
})

test("T34: purge days are spread evenly over eight days", async () => {
  const folder = newFolder()
  const drops = await openSqliteDrops(folder)
  const count = process.env["ASSAY_SOAK"] ? 8000 : 1600
  await Promise.all(Array.from({ length: count }, () => bring(drops, randomBytes(8))))
  const seen = new Map<number, number>()
  for (const { purgeDay } of await drops.messages())
    seen.set(purgeDay - today - 30, (seen.get(purgeDay - today - 30) ?? 0) + 1)
  await drops.close()
  assert.deepEqual([...seen.keys()].sort(), [0, 1, 2, 3, 4, 5, 6, 7])
  const expected = count / 8
  const chiSquare = [...seen.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0)
  // Seven degrees of freedom: an even spread passes this once in ten million runs.
  assert.ok(chiSquare < 45, String(chiSquare))
})

test("sqlite: what comes in one turn of the loop is one transaction", async () => {
  const folder = newFolder()
  const drops = await openSqliteDrops(folder)
  // SQLite counts transactions at byte 24 of its file.
  const transactions = (): number => readFileSync(join(folder, "drops.sqlite")).readUInt32BE(24)
  const before = transactions()
  await Promise.all(
    Array.from({ length: 50 }, () => drops.appendPiece(newId(), 0, randomBytes(3000))),
  )
  assert.equal(transactions(), before + 1)
  await drops.close()
})

test("T19, T20: a deletion is one write, whether or not there was anything to delete", async () => {
  const folder = newFolder()
  const drops = await openSqliteDrops(folder)
  // SQLite counts its writes at byte 24 of the file; a transaction that changes nothing does not
  // count.
  const writes = (): number => readFileSync(join(folder, "drops.sqlite")).readUInt32BE(24)
  const reply = newReply()
  await drops.postReply(reply, days)
  const { verifier } = await bring(drops)
  const strange = (): Uint8Array => randomBytes(32)
  const attempts: Record<string, () => Promise<void>> = {
    "an unknown mailbox": () => drops.deleteReplies(strange(), strange()),
    "a wrong token": () => drops.deleteReplies(reply.tag, strange()),
    "a mailbox with a reply": () => drops.deleteReplies(reply.tag, reply.deleteVerifier),
    "an empty mailbox": () => drops.deleteReplies(reply.tag, reply.deleteVerifier),
    "nobody's message": () => drops.withdraw([strange()]),
    "a message": () => drops.withdraw([verifier]),
    "a message again": () => drops.withdraw([verifier]),
  }
  for (const [what, attempt] of Object.entries(attempts)) {
    const before = writes()
    await attempt()
    assert.equal(writes() - before, 1, what)
  }
  assert.deepEqual([await drops.replies(reply.tag), await drops.messages()], [[], []])
  await drops.close()
})

test("T31: stirring leaves no time on the disk that is a message's, and no other mark", async () => {
  const folder = newFolder()
  const drops = await openSqliteDrops(folder)
  const times = (): Map<string, number[]> =>
    new Map(
      ["", "drops.sqlite"].map((name) => {
        const { mtimeNs, ctimeNs } = statSync(join(folder, name), { bigint: true })
        return [name, [Number(mtimeNs), Number(ctimeNs)]]
      }),
    )
  const { id } = await bring(drops)
  const ofMessage = times()
  // The clock of file systems ticks in steps of a few milliseconds.
  await delay(50)
  await drops.stir()
  for (const [name, later] of times())
    for (const [n, time] of later.entries()) assert.ok(time > (ofMessage.get(name)?.[n] ?? 0), name)
  assert.deepEqual(
    (await drops.messages()).map((message) => message.id),
    [id],
  )
  assert.equal(await drops.unordered(), 1)
  await drops.close()
})

test("sqlite: a file of the first format loses the hours of its spent tokens, and keeps all else", async () => {
  const folder = newFolder()
  const first = await openSqliteDrops(folder)
  const sealed = randomBytes(5000)
  const { id } = await bring(first, sealed)
  await first.close()
  const file = join(folder, "drops.sqlite")
  const database = new DatabaseSync(file)
  const hash = randomBytes(32)
  database.exec(`
    create table spent (hash blob primary key, expiry_hour integer not null) without rowid;
    pragma user_version = 1;
  `)
  database.prepare("insert into spent values (?, 480027)").run(hash)
  database.close()
  assert.ok(readFileSync(file).includes(hash))
  const later = await openSqliteDrops(folder)
  assert.ok(sealed.equals(await sealedOf(later, id)))
  await later.close()
  assert.ok(!readFileSync(file).includes(hash))
  assert.ok(!readFileSync(file).includes("expiry_hour"))
  await (await openSqliteDrops(folder)).close()
})

test("sqlite: the steps of a rewrite that a crash can stop at all lead back to a whole file", async () => {
  const sealed = randomBytes(70_000)
  const started = newFolder()
  const first = await openSqliteDrops(started)
  const { id } = await bring(first, sealed)
  const dropId = await first.dropId()
  await first.close()
  const whole = readFileSync(join(started, "drops.sqlite"))
  const stops: Record<string, Record<string, Buffer>> = {
    "the new file is begun": { "": whole, ".new": Buffer.alloc(0) },
    "the new file is half there": {
      "": whole,
      ".new": whole.subarray(0, 30_000),
      ".new-journal": randomBytes(100),
    },
    "a journal is begun": { "": whole, "-journal": Buffer.concat([Buffer.alloc(512), whole]) },
    "the new file is whole": { "": whole, ".new": whole },
    "the old one has its other name": { ".old": whole, ".new": whole },
    "the new one has the name": { "": whole, ".old": whole },
    "the old one is half overwritten": { "": whole, ".old": Buffer.alloc(40_000) },
  }
  for (const [stop, files] of Object.entries(stops)) {
    const folder = newFolder()
    mkdirSync(folder)
    for (const [suffix, bytes] of Object.entries(files))
      writeFileSync(join(folder, `drops.sqlite${suffix}`), bytes)
    const drops = await openSqliteDrops(folder)
    assert.deepEqual(await drops.dropId(), dropId, stop)
    assert.ok(sealed.equals(await sealedOf(drops, id)), stop)
    await drops.close()
    assert.deepEqual(readdirSync(folder), ["drops.sqlite", "reserve"], stop)
  }
})

test("sqlite: a drop that lost its file is not begun anew", async () => {
  const folder = newFolder()
  mkdirSync(folder)
  writeFileSync(join(folder, "drops.sqlite.old"), randomBytes(4096))
  await assert.rejects(openSqliteDrops(folder), refusedAs("damaged"))
  assert.ok(!existsSync(join(folder, "drops.sqlite")))
})

test("sqlite: a file of a newer program or of none is refused and left as it is", async () => {
  const folder = newFolder()
  await (await openSqliteDrops(folder)).close()
  const file = join(folder, "drops.sqlite")
  const database = new DatabaseSync(file)
  database.exec("pragma user_version = 3")
  database.close()
  const before = readFileSync(file)
  await assert.rejects(openSqliteDrops(folder), refusedAs("newer-format"))
  assert.ok(before.equals(readFileSync(file)))
  const other = randomBytes(9000)
  writeFileSync(file, other)
  await assert.rejects(openSqliteDrops(folder), refusedAs("damaged"))
  assert.ok(other.equals(readFileSync(file)))
})
