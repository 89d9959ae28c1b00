import assert from "node:assert/strict"
import { test } from "node:test"
import { readTar, type TarMember, tarSize, writeTar } from "@assay/core/drop/tar"
import {
  AssayProblem,
  AssayUnavailable,
  type Client,
  createClient,
  type DropIndex,
} from "./index.ts"
import { cut, json, KEY, problem, type Reply, startTestServer } from "../testing/test-server.ts"

const [ID, OTHER, DROP] = ["ab".repeat(16), "cd".repeat(16), "ef".repeat(16)]
const message = new Uint8Array(70_000).map((_, at) => at % 251)
const note = new Uint8Array([1, 2, 3])
const index: DropIndex = {
  drop_id: DROP,
  recipients: ["age1one"],
  messages: [
    { id: ID, size: message.length, purge_day: 20_800, effort: 0 },
    { id: OTHER, size: 9, purge_day: 20_801, effort: 2 },
  ],
  notes: [OTHER],
}
const indexMember = (value: unknown): TarMember => ({
  name: "index.json",
  bytes: new TextEncoder().encode(JSON.stringify(value)),
})
const archive = (...members: TarMember[]): Uint8Array => writeTar(members, tarSize(members))
const tar =
  (...pieces: Uint8Array[]): Reply =>
  (response) => {
    response.writeHead(200, { "content-type": "application/x-tar" })
    for (const piece of pieces) response.write(piece)
    response.end()
  }
const whole = archive(
  indexMember(index),
  { name: `${ID}.age`, bytes: message },
  { name: `note-${OTHER}.age`, bytes: note },
)

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

const clientOf = (baseUrl: string): Client<"allow"> =>
  createClient({ baseUrl, apiKey: KEY, timeoutMs: 10_000, retries: 0, failover: "allow" })

test("a sync asks once for all that is not here and gives sealed files as they come", async () => {
  const server = await startTestServer(tar(whole.subarray(0, 700), whole.subarray(700)))
  const { index: listed, files } = await clientOf(server.url).drop.sync([OTHER])
  assert.deepEqual(listed, index)
  assert.deepEqual(await all(files), [
    { kind: "message", id: ID, sealed: message },
    { kind: "note", id: OTHER, sealed: note },
  ])
  assert.equal(server.seen.length, 1)
  assert.equal(server.seen[0]?.url, "/api/v1/drop/sync")
  assert.deepEqual(JSON.parse(server.seen[0].body), { have: [OTHER] })
  assert.equal(server.seen[0].headers.authorization, `Bearer ${KEY}`)
})

test("a sync that breaks off, or is not one of the drop, rejects, and is never taken for an empty one", async () => {
  const damaged = whole.slice()
  damaged[130] = 0x37
  const replies: Reply[] = [
    cut,
    tar(),
    tar(whole.subarray(0, 300)),
    tar(whole.subarray(0, 60_000)),
    tar(whole.subarray(0, whole.length - 1_024)),
    tar(damaged),
    tar(archive({ name: `${ID}.age`, bytes: message })),
    tar(archive(indexMember({ ...index, messages: [{ id: "../x" }] }))),
    tar(archive(indexMember(index), { name: "../../x", bytes: note })),
    json(200, index),
  ]
  for (const [at, reply] of replies.entries()) {
    const server = await startTestServer(reply)
    const everything = async (): Promise<unknown> =>
      await all((await clientOf(server.url).drop.sync([])).files)
    await assert.rejects(everything, AssayUnavailable, `reply ${at}`)
  }
  const refused = await startTestServer(problem(403, { code: "insufficient-scope" }))
  await assert.rejects(clientOf(refused.url).drop.sync([]), AssayProblem)
})

test("a sync that comes slowly is fetched to its end, and one that stops is told after that time without a byte", async () => {
  const slowly: Reply = (response) => {
    response.writeHead(200, { "content-type": "application/x-tar" })
    const piece = Math.ceil(whole.length / 8)
    for (let n = 0; n < 8; n++)
      setTimeout(() => response.write(whole.subarray(n * piece, (n + 1) * piece)), n * 150)
    setTimeout(() => response.end(), 8 * 150)
  }
  const stopped =
    (at: number): Reply =>
    (response) => {
      response.writeHead(200, { "content-type": "application/x-tar" })
      response.write(whole.subarray(0, at))
    }
  const everything = async (reply: Reply): Promise<unknown[]> => {
    const { url } = await startTestServer(reply)
    return await all((await clientOf(url).drop.sync([], { timeoutMs: 600 })).files)
  }
  const begunAt = performance.now()
  assert.equal((await everything(slowly)).length, 2)
  assert.ok(performance.now() - begunAt > 1_000, "it took longer than it may be silent")
  // In the list, in a message, and after the last file.
  for (const at of [300, 60_000, whole.length - 1_024])
    await assert.rejects(
      everything(stopped(at)),
      (error) => error instanceof AssayUnavailable && error.reason === "timeout",
    )
})

test("a batch is one archive of actions and sealed files, and is told reply by reply", async () => {
  const outcome = { replies: [{ id: ID, outcome: "full" }] }
  const seen: Uint8Array[] = []
  const server = await startTestServer((response, request) => {
    seen.push(new TextEncoder().encode(request.body))
    json(200, outcome)(response, request)
  })
  const sent = await clientOf(server.url).drop.batch({
    replies: [{ id: ID, mailbox: "m", deleteVerifier: "v", sealed: note }],
    delete: [OTHER],
    notes: [{ id: OTHER, replaces: [ID], sealed: note }],
    deleteNotes: [ID],
  })
  assert.deepEqual(sent, outcome)
  assert.equal(server.seen[0]?.headers["content-type"], "application/x-tar")
  const [actions, ...files] = readTar(seen[0] ?? new Uint8Array(), {
    allowed: /^[a-z0-9.-]+$/,
    membersMax: 3,
    bytesMax: 1_000,
  })
  assert.deepEqual(JSON.parse(new TextDecoder().decode(actions?.bytes)), {
    replies: [{ id: ID, mailbox: "m", delete_verifier: "v", file: `reply-${ID}.age` }],
    delete: [OTHER],
    notes: [{ id: OTHER, replaces: [ID], file: `note-${OTHER}.age` }],
    delete_notes: [ID],
  })
  assert.deepEqual(
    files.map(({ name, bytes }) => [name, [...bytes]]),
    [
      [`reply-${ID}.age`, [1, 2, 3]],
      [`note-${OTHER}.age`, [1, 2, 3]],
    ],
  )
})

test("an answer that leaves a reply out, or names an unknown outcome, is no success", async () => {
  for (const replies of [[], [{ id: OTHER, outcome: "stored" }], [{ id: ID, outcome: "lost" }]]) {
    const server = await startTestServer(json(200, { replies }))
    const reply = { id: ID, mailbox: "m", deleteVerifier: "v", sealed: note }
    await assert.rejects(clientOf(server.url).drop.batch({ replies: [reply] }), AssayUnavailable)
  }
})

test("a message sealed anew is sent as it is, and its outcome told", async () => {
  const server = await startTestServer(
    json(200, { outcome: "resealed" }),
    json(200, { outcome: "gone" }),
    json(200, {}),
  )
  const { drop } = clientOf(server.url)
  assert.equal(await drop.reseal(ID, note), "resealed")
  assert.equal(await drop.reseal(ID, note), "gone")
  await assert.rejects(drop.reseal(ID, note), AssayUnavailable)
  const [{ url, body, headers }] = server.seen as [(typeof server.seen)[number]]
  assert.equal(url, `/api/v1/drop/reseal/${ID}`)
  assert.equal(body, "\u0001\u0002\u0003")
  assert.equal(headers["content-type"], "application/octet-stream")
})

test("keys are asked for, and given to a drop that has none", async () => {
  const keys = { drop_id: DROP, recipients: ["age1one"] }
  const server = await startTestServer(json(200, keys), json(200, keys), json(200, {}))
  const { drop } = clientOf(server.url)
  assert.deepEqual(await drop.keys(), keys)
  assert.deepEqual(await drop.firstKeys(["age1one"]), keys)
  await assert.rejects(drop.keys(), AssayUnavailable)
  assert.deepEqual(
    server.seen.map(({ method, url, body }) => [method, url, body]),
    [
      ["GET", "/api/v1/drop/keys", ""],
      ["POST", "/api/v1/drop/keys", '{"recipients":["age1one"]}'],
      ["GET", "/api/v1/drop/keys", ""],
    ],
  )
})
