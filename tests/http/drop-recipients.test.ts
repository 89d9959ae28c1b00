import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { createClient } from "@assay/client"
import {
  headerSize,
  mailboxTag,
  packReply,
  type Recipients,
  replyRecipients,
  seal,
  sealedSize,
} from "@assay/core/drop"
import { generateX25519Identity, identityToRecipient } from "age-encryption"
import { hashApiKey, hintOf, mintApiKey } from "../../packages/server/src/accounts/api-key.ts"
import { openSqliteDrops } from "../../packages/drop/src/store/sqlite-drops.ts"
import { openSqliteRecords } from "../../packages/stores/src/sqlite/records.ts"
import { assay, createKey } from "../cli/assay.ts"
import { openRecordsOf } from "./records-of.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const data = join(temporaryDirectory(), "data")
const ROUTES = [
  ["POST", "/api/v1/drop/sync"],
  ["POST", "/api/v1/drop/batch"],
  ["GET", "/api/v1/drop/keys"],
  ["POST", "/api/v1/drop/keys"],
  ["POST", `/api/v1/drop/reseal/${"00".repeat(16)}`],
] as const

let service: Service
let recipient: string
let resealer: string
let lasting: string
let recipients: Recipients
let message: { id: string; sealed: Buffer }
before(async () => {
  // A message that came before the service is started: how senders bring them is not this file's
  // matter.
  const drops = await openSqliteDrops(join(data, "drop"))
  message = { id: randomBytes(16).toString("hex"), sealed: randomBytes(300_000) }
  await drops.appendPiece(message.id, 0, message.sealed.subarray(0, 262_144))
  await drops.appendPiece(message.id, 1, message.sealed.subarray(262_144))
  await drops.finishUpload({
    id: message.id,
    size: message.sealed.length,
    withdrawVerifier: randomBytes(32),
    effort: 1,
    today: Math.floor(Date.now() / 86_400_000),
    retentionDays: 30,
  })
  await drops.close()
  const keys = await Promise.all([newKey(), newKey()])
  recipients = { suite: "x25519", keys }
  service = await startService({ dataDirectory: data, drop: true })
  recipient = await createKey(service, "--service", "--scopes", "drop:read")
  const given = await assay(["operators", "token", "--name", "Ana", "--reseal"], {
    ASSAY_DATA: data,
  })
  assert.equal(given.code, 0, given.err)
  resealer = given.out.trim()
  lasting = await lastingKey()
})
after(() => service.stop())

/** As somebody could write it who has the file of accounts and no patience. */
async function lastingKey(): Promise<string> {
  const records = await openRecordsOf(data)
  const key = mintApiKey()
  const [hash, hint, scopes] = [hashApiKey(key), hintOf(key), ["drop:read", "drop:reseal"]]
  const [id, at, actor] = ["lasting", Date.now(), "test"]
  const expiresAt = at + 25 * 3_600_000
  await records.createKey({
    id,
    tenantId: null,
    hash,
    hint,
    label: id,
    scopes,
    at,
    expiresAt,
    actor,
  })
  await records.close()
  return key
}

const newKey = async (): Promise<string> =>
  await identityToRecipient(await generateX25519Identity())
const client = (apiKey = recipient) =>
  createClient({ baseUrl: service.baseUrl, apiKey, failover: "throw", retries: 0 })
const code = async (response: Response): Promise<string> =>
  ((await response.json()) as { code: string }).code

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

test("recipients need a key of their own, and nobody else's will do", async () => {
  for (const [method, path] of ROUTES) {
    const without = await service.request(path, { method, key: null })
    assert.deepEqual([without.status, await code(without)], [401, "unauthenticated"])
    const tenants = await service.request(path, { method })
    assert.deepEqual([tenants.status, await code(tenants)], [403, "insufficient-scope"])
  }
})

test("the recipients' side cannot be reached from outside the service", async () => {
  const mode = (name: string): number => statSync(join(data, "drop", name)).mode & 0o777
  assert.equal(mode("recipients.sock"), 0o600)
  assert.ok(service.dropUrl !== null)
  for (const path of ["/sync", "/drop/sync", "/batch", "/keys", "/api/v1/drop/keys"]) {
    assert.equal((await fetch(service.dropUrl + path)).status, 404, path)
    assert.equal((await fetch(service.dropUrl + path, { method: "POST" })).status, 404, path)
  }
})

test("a recipient sets the first keys, fetches all at once, replies and deletes", async () => {
  const { drop } = client()
  assert.deepEqual((await drop.keys()).recipients, [])
  assert.deepEqual((await drop.firstKeys(recipients.keys)).recipients, recipients.keys)
  await assert.rejects(drop.firstKeys(recipients.keys), { code: "drop-keys-exist" })

  const { index, files } = await drop.sync([])
  const fetched = await all(files)
  assert.deepEqual(index.recipients, recipients.keys)
  assert.deepEqual(
    fetched.map(({ kind, id }) => [kind, id]),
    [["message", message.id]],
  )
  assert.ok(message.sealed.equals(fetched[0]?.sealed ?? new Uint8Array()))
  assert.deepEqual(await all((await drop.sync([message.id])).files), [])

  const replyTo = await newKey()
  const sealed = await seal(
    packReply({ sealedBy: "browser", lang: "en", message: "We have read it." }),
    replyRecipients({ reply_to: replyTo }, recipients),
  )
  assert.equal(sealed.length, sealedSize(65_536, 3, "x25519"))
  const mailbox = randomBytes(32)
  const reply = {
    id: randomBytes(16).toString("hex"),
    mailbox: mailbox.toString("hex"),
    deleteVerifier: "ab".repeat(32),
    sealed,
  }
  const batch = { replies: [reply], delete: [message.id] }
  assert.deepEqual(await drop.batch(batch), { replies: [{ id: reply.id, outcome: "stored" }] })
  assert.deepEqual(await drop.batch(batch), { replies: [{ id: reply.id, outcome: "known" }] })
  assert.deepEqual((await drop.sync([])).index.messages, [])
  // The sender finds it: the mailbox as the drop gives it to anybody who asks for it.
  const found = await fetch(`${service.dropUrl ?? ""}/drop/mailbox`, {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body: new Uint8Array(mailbox),
  })
  assert.equal(found.status, 200)
  assert.ok(Buffer.from(await found.arrayBuffer()).includes(sealed))
  await assert.rejects(drop.batch({ replies: [{ ...reply, sealed: sealed.subarray(1) }] }), {
    code: "drop-batch-refused",
  })
  const stored = readFileSync(join(data, "drop", "drops.sqlite"))
  assert.ok(stored.includes(mailboxTag(mailbox)))
  assert.ok(!stored.includes(mailbox))
  assert.ok(!stored.includes(message.sealed.subarray(1000, 1100)))
})

test("a recipient's token cannot seal messages again; a token that may ends within a day", async () => {
  const sealed = await seal(
    packReply({ sealedBy: "browser", lang: "en", message: "x" }),
    recipients,
  )
  const header = new Uint8Array(sealed.subarray(0, headerSize(2, "x25519")))
  const nobody = "00".repeat(16)
  for (const key of [recipient, lasting])
    await assert.rejects(client(key).drop.reseal(nobody, header), { code: "insufficient-scope" })
  assert.deepEqual((await client(lasting).drop.keys()).recipients, recipients.keys)
  assert.equal(await client(resealer).drop.reseal(nobody, header), "gone")
  const env = { ASSAY_DATA: data }
  for (const args of [
    ["operators", "token", "--name", "Ana", "--reseal", "--expires", "25h"],
    ["operators", "token", "--name", "Ana", "--reseal", "--expires", "30d"],
    ["keys", "create", "--service", "--scopes", "drop:reseal"],
    ["keys", "create", "--service", "--scopes", "drop:read,drop:reseal", "--expires", "2d"],
  ]) {
    const { code: exit, out, err } = await assay(args, env)
    assert.deepEqual([exit, out], [1, ""], args.join(" "))
    assert.match(err, /at most 24 hours/)
  }
  const everything = await assay(["keys", "create", "--service", "--scopes", "all"], env)
  assert.doesNotMatch(everything.err, /drop:reseal/)
})

/** The answer to a body that is announced and never sent: sending it would race with the answer. */
async function statusOfLength(path: string, length: number): Promise<number> {
  const headers = {
    authorization: `Bearer ${recipient}`,
    "content-type": "application/x-tar",
    "content-length": length,
  }
  return await new Promise((resolve, reject) => {
    const asking = httpRequest(service.baseUrl + path, { method: "POST", headers }, (response) => {
      resolve(response.statusCode ?? 0)
      asking.destroy()
    })
    asking.once("error", reject).flushHeaders()
  })
}

test("bodies of other kinds are refused before they reach the drop", async () => {
  const key = recipient
  const sent = async (path: string, type: string, body: string): Promise<[number, string]> => {
    const response = await service.request(path, {
      method: "POST",
      key,
      headers: { "content-type": type },
      body,
    })
    return [response.status, await code(response)]
  }
  assert.deepEqual(await sent("/api/v1/drop/sync", "application/json", "{}"), [
    400,
    "invalid-request",
  ])
  assert.deepEqual(await sent("/api/v1/drop/sync", "application/json", '{"have":["../x"]}'), [
    400,
    "invalid-request",
  ])
  assert.deepEqual(await sent("/api/v1/drop/batch", "application/json", "{}"), [
    415,
    "unsupported-media-type",
  ])
  assert.equal(await statusOfLength("/api/v1/drop/batch", 9_000_000), 413)
  assert.deepEqual(await sent("/api/v1/drop/batch", "application/x-tar", "hello"), [
    422,
    "drop-batch-refused",
  ])
})

test("a batch is passed on as it comes, and one that grows too long is refused with its reason", async () => {
  const begun = (body: AsyncGenerator<Uint8Array>): Promise<Response> =>
    fetch(`${service.baseUrl}/api/v1/drop/batch`, {
      method: "POST",
      headers: { authorization: `Bearer ${recipient}`, "content-type": "application/x-tar" },
      body: ReadableStream.from(body),
      duplex: "half",
    })
  const refused = await begun(pieces(9))
  assert.deepEqual([refused.status, await code(refused)], [413, "body-too-large"])
  const archive = await begun(pieces(1))
  assert.deepEqual([archive.status, await code(archive)], [422, "drop-batch-refused"])
  // A sender that leaves in the middle is nobody's fault.
  await assert.rejects(begun(pieces(1, { breaksOff: true })))
  assert.equal((await client().drop.keys()).recipients.length, 2)
  assert.doesNotMatch(service.stderr() + service.stdout(), /drop fault/)
})

/** This many MiB that are no archive. */
async function* pieces(
  count: number,
  { breaksOff = false } = {},
): AsyncGenerator<Uint8Array, void, void> {
  for (let n = 0; n < count; n++) yield new Uint8Array(1024 * 1024)
  if (breaksOff) throw new Error("it breaks off")
}

test("the audit trail says who did what, and nowhere is which message it was", async () => {
  const records = await openSqliteRecords({ file: join(data, "records.sqlite"), readOnly: true })
  const entries = (await records.audit({ limit: 100 })).filter(({ subject }) => subject === "drop")
  await records.close()
  assert.deepEqual(
    new Set(entries.map(({ action }) => action)),
    new Set(["drop.synced", "drop.batch", "drop.keys-set", "drop.resealed"]),
  )
  for (const { actor, detail } of entries) {
    assert.match(actor, /^key:/)
    assert.deepEqual(detail, {})
  }
  assert.equal(new Set(entries.map(({ actor }) => actor)).size, 2)
  const trail = readdirSync(data)
    .filter((name) => name.startsWith("records.sqlite"))
    .map((name) => readFileSync(join(data, name)))
  for (const where of [...trail, Buffer.from(service.stderr() + service.stdout())]) {
    assert.ok(!where.includes(message.id))
    assert.ok(!where.includes(Buffer.from(message.id, "hex")))
  }
})
