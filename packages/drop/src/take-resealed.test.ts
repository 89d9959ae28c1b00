import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import {
  headerSize,
  newIdentityFile,
  open,
  packMessage,
  readIdentities,
  recipientsOf,
  type Recipients,
  reseal,
  seal,
  sealedBody,
} from "@assay/core/drop"
import { sealedOf } from "../testing/store/drops-suite.ts"
import { openSqliteDrops } from "./store/sqlite-drops.ts"
import { writeKeysFile } from "./keys-file.ts"
import { openKeys } from "./keys-in-use.ts"
import { takeResealed } from "./take-resealed.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-reseal-"))
const drops = await openSqliteDrops(folder)
after(async () => {
  await drops.close()
  rmSync(folder, { recursive: true })
})
const keys = await openKeys(folder, await drops.dropId())
const [first, second] = [await newIdentity(), await newIdentity()]
const [old, next] = [first.recipient, second.recipient]
/** Of three pieces in the store. */
const envelope = packMessage({
  sealedBy: "browser",
  mode: "one-way",
  lang: "en",
  message: "x",
  files: [{ bytes: randomBytes(500_000), type: "a/b", extension: "", metadata: "kept" }],
})
const PIECE = 262_144

async function newIdentity(): Promise<{ recipient: string; identities: readonly string[] }> {
  const { file, recipient } = await newIdentityFile(undefined, "x25519")
  return { recipient, identities: await readIdentities(file) }
}
const sealedTo = async (...to: string[]): Promise<Uint8Array> =>
  await seal(envelope, recipientsOf(to))
const use = async (recipients: Recipients | null): Promise<void> => {
  writeKeysFile(folder, recipients)
  await keys.reload()
}
const take = (id: string, header: Uint8Array): Promise<string> =>
  takeResealed(id, header, { drops, keys })
const headerOf = (sealed: Uint8Array): Uint8Array =>
  sealed.subarray(0, sealed.length - sealedBody(sealed).length)

/** A message sealed to the old key, under a new id. */
async function bring(): Promise<{ id: string; sealed: Uint8Array }> {
  const [id, sealed] = [randomBytes(16).toString("hex"), await sealedTo(old)]
  for (let n = 0; n * PIECE < sealed.length; n++)
    await drops.appendPiece(id, n, sealed.slice(n * PIECE, (n + 1) * PIECE))
  const withdrawVerifier = randomBytes(32)
  const days = { today: 20_000, retentionDays: 30 }
  await drops.finishUpload({ id, size: sealed.length, withdrawVerifier, effort: 0, ...days })
  return { id, sealed }
}

test("a message gets the header for the keys in use, keeps its body and its pieces' size, and opens", async () => {
  const { id, sealed } = await bring()
  await use(recipientsOf([old, next]))
  const anew = await reseal(sealed, first.identities, recipientsOf([old, next]))
  for (const time of ["first", "again"]) {
    assert.equal(await take(id, anew.header), "resealed", time)
    assert.deepEqual(await sealedOf(drops, id), Buffer.from(anew.sealed), time)
    assert.equal((await drops.piece(id, 0))?.length, PIECE, time)
    assert.equal((await drops.piece(id, 1))?.length, PIECE, time)
  }
  assert.deepEqual(await open(await sealedOf(drops, id), second.identities), envelope)
  assert.equal(
    (await drops.messages()).find((message) => message.id === id)?.size,
    anew.sealed.length,
  )
  await drops.deleteMessages([id])
})

test("whoever may reseal cannot put another content in a message's place", async () => {
  const { id, sealed } = await bring()
  await use(recipientsOf([old, next]))
  const forged = await sealedTo(old, next)
  await assert.rejects(take(id, forged), { code: "drop-batch-refused" })
  assert.deepEqual(await sealedOf(drops, id), Buffer.from(sealed))
  // A header of another message: nobody can open the message any more, as if it were deleted.
  // Nobody reads the forged one.
  assert.equal(await take(id, headerOf(forged)), "resealed")
  const left = await sealedOf(drops, id)
  assert.deepEqual(sealedBody(left), Buffer.from(sealedBody(sealed)))
  await assert.rejects(open(left, first.identities), { code: "damaged" })
  await drops.deleteMessages([id])
})

test("what is no header for the keys in use is refused, and the message stays as it was", async () => {
  const { id, sealed } = await bring()
  const header = headerOf(await sealedTo(old))
  const cases: [string, Recipients | null, Uint8Array][] = [
    ["another number of keys", recipientsOf([old, next]), header],
    ["a text", recipientsOf([old]), Buffer.from("<script>".repeat(20))],
    ["cut off", recipientsOf([old]), header.subarray(0, -1)],
    ["lengthened", recipientsOf([old]), Buffer.concat([header, Buffer.alloc(1)])],
    ["nothing", recipientsOf([old]), new Uint8Array()],
    ["no keys at all", null, header],
  ]
  for (const [what, recipients, given] of cases) {
    await use(recipients)
    await assert.rejects(take(id, given), { code: "drop-batch-refused" }, what)
    assert.deepEqual(await sealedOf(drops, id), Buffer.from(sealed), what)
  }
})

test("a message that is gone is not brought back, and nothing of the attempt stays", async () => {
  await use(recipientsOf([next]))
  const before = await drops.messages()
  const header = headerOf(await sealedTo(next))
  assert.equal(header.length, headerSize(1, "x25519"))
  assert.equal(await take(randomBytes(16).toString("hex"), header), "gone")
  assert.deepEqual(await drops.messages(), before)
})
