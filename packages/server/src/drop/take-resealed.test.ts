import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { after, test } from "node:test"
import { newIdentityFile, packMessage, recipientsOf, type Recipients, seal } from "@assay/core/drop"
import { openSqliteDrops } from "../stores/sqlite/drops.ts"
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
const newKey = async (): Promise<string> => (await newIdentityFile(undefined, "x25519")).recipient
const [old, next] = [await newKey(), await newKey()]
const envelope = packMessage({
  sealedBy: "browser",
  mode: "one-way",
  lang: "en",
  message: "x",
  files: [],
})
const sealedTo = async (...to: string[]): Promise<Uint8Array> =>
  await seal(envelope, recipientsOf(to))
const use = async (recipients: Recipients | null): Promise<void> => {
  writeKeysFile(folder, recipients)
  await keys.reload()
}
const take = (id: string, sealed: Uint8Array): Promise<string> =>
  takeResealed(id, Readable.from([Buffer.from(sealed)]) as IncomingMessage, { drops, keys })

/** A message sealed to the old key, under a new id. */
async function bring(): Promise<{ id: string; sealed: Uint8Array }> {
  const [id, sealed] = [randomBytes(16).toString("hex"), await sealedTo(old)]
  await drops.appendPiece(id, 0, sealed)
  const withdrawVerifier = randomBytes(32)
  const days = { today: 20_000, retentionDays: 30 }
  await drops.finishUpload({ id, size: sealed.length, withdrawVerifier, effort: 0, ...days })
  return { id, sealed }
}

test("a message sealed to the keys in use takes the place of the one before", async () => {
  const { id } = await bring()
  await use(recipientsOf([old, next]))
  const anew = await sealedTo(old, next)
  assert.equal(await take(id, anew), "resealed")
  assert.deepEqual(await drops.piece(id, 0), anew)
  assert.equal(await take(id, await sealedTo(old, next)), "resealed")
  await drops.deleteMessages([id])
})

test("what is not sealed to the keys in use is refused, and the message before stays", async () => {
  const { id, sealed } = await bring()
  const other = await sealedTo(old)
  const cases: [string, Recipients | null, Uint8Array][] = [
    ["another number of keys", recipientsOf([old, next]), other],
    ["a text", recipientsOf([old]), Buffer.from("<script>".repeat(9_000))],
    ["cut off", recipientsOf([old]), other.subarray(0, -1)],
    ["lengthened", recipientsOf([old]), Buffer.concat([other, Buffer.alloc(1)])],
    ["nothing", recipientsOf([old]), new Uint8Array()],
    ["no keys at all", null, other],
  ]
  for (const [what, recipients, given] of cases) {
    await use(recipients)
    await assert.rejects(take(id, given), { code: "drop-batch-refused" }, what)
    assert.deepEqual(await drops.piece(id, 0), sealed, what)
  }
})

test("a message that is gone is not brought back", async () => {
  await use(recipientsOf([next]))
  const before = await drops.messages()
  assert.equal(await take(randomBytes(16).toString("hex"), await sealedTo(next)), "gone")
  assert.deepEqual(await drops.messages(), before)
})
