import assert from "node:assert/strict"
import { createHash, randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { statSync } from "node:fs"
import { get } from "node:http"
import { get as getSecurely } from "node:https"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import type { WantedSegment } from "@assay/corpus/brought-segments"
import { freePort } from "../../../stores/testing/free-port.ts"
import { bringSegment, type FetchPlace, type Peer, peersOf, reasonsText } from "./fetch-segment.ts"
import { askingTls } from "./node-tls.ts"
import { serveSegments } from "./serve-segments.ts"

const temporary = mkdtempSync(join(tmpdir(), "assay-segments-"))
after(() => rmSync(temporary, { recursive: true }))
const key = randomBytes(32)
const host = "127.0.0.1"
/** More than one piece of any stream. */
const bytes = randomBytes(3_000_000)
const CREATED_AT = Date.UTC(2026, 0, 5)

function wantedOf(name: string): WantedSegment {
  return {
    file: `${name}.parquet`,
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    ...{ batchId: 1, source: "one", createdAt: CREATED_AT },
  }
}

/** A node that gives what lies in its directory. */
async function nodeWith(name: string, files: Readonly<Record<string, Buffer>>): Promise<Peer> {
  const segments = join(temporary, name)
  mkdirSync(segments)
  for (const [file, content] of Object.entries(files)) writeFileSync(join(segments, file), content)
  const port = await freePort()
  const server = await serveSegments({ host, port, key, segments })
  after(() => server.close())
  return { id: `node_${name}`, host: name, address: { host, port } }
}

function placeOf(name: string): FetchPlace {
  return { key, segments: join(temporary, name), signal: new AbortController().signal }
}

const damaged = Buffer.from(bytes)
damaged.writeUInt8((damaged.at(-7) ?? 0) ^ 1, damaged.length - 7)
const good = await nodeWith("good", { "a.parquet": bytes, "b.parquet": bytes })
const empty = await nodeWith("empty", {})
const wrong = await nodeWith("wrong", { "a.parquet": damaged })
const short = await nodeWith("short", { "a.parquet": bytes.subarray(1) })
const gone: Peer = { id: "node_gone", host: "gone", address: { host, port: await freePort() } }
const shut: Peer = { id: "node_shut", host: "shut", address: null }

test("a segment comes whole from the first node that has it, as old as its batch", async () => {
  const place = placeOf("taking")
  assert.equal(await bringSegment(wantedOf("a"), [gone, shut, empty, good, wrong], place), null)
  const path = join(place.segments, "a.parquet")
  assert.deepEqual(readFileSync(path), bytes)
  const { mode, mtimeMs } = statSync(path)
  assert.deepEqual([mode & 0o777, mtimeMs], [0o600, CREATED_AT])
  assert.deepEqual(readdirSync(place.segments), ["a.parquet"])
})

test("other bytes than the catalogue names are not kept, be it one bit, and the next node is asked", async () => {
  const place = placeOf("refusing")
  const failed = await bringSegment(wantedOf("a"), [wrong, short, empty, gone, shut], place)
  assert.deepEqual(
    failed?.map(({ why }) => why),
    ["damaged", "damaged", "lacking", "unreachable", "closed"],
  )
  assert.match(
    reasonsText(failed),
    /^node_wrong \(wrong\) has it damaged, .*, node_empty \(empty\) does not have it, node_gone \(gone\) did not answer, node_shut \(shut\) has no ASSAY_NODE_PORT$/,
  )
  assert.deepEqual(readdirSync(place.segments), [])
  assert.equal(await bringSegment(wantedOf("a"), [wrong, good], place), null)
  assert.equal(reasonsText([]), "there is no other node")
})

test("a node of another secret gets nothing and is believed nothing", async () => {
  const place = { ...placeOf("stranger"), key: randomBytes(32) }
  const failed = await bringSegment(wantedOf("a"), [good], place)
  assert.deepEqual(
    failed?.map(({ why }) => why),
    ["unreachable"],
  )
  const { address } = good
  assert.ok(address)
  const path = "/segments/a.parquet"
  const refused = async (ask: typeof get | typeof getSecurely, options: object) =>
    await new Promise<string>((resolve) => {
      const asked = ask({ ...address, path, agent: false, ...options }, (answer) => {
        answer.resume()
        resolve(`answered ${answer.statusCode}`)
      })
      asked.on("error", (error) => resolve((error as NodeJS.ErrnoException).code ?? error.message))
    })
  assert.doesNotMatch(await refused(get, {}), /answered/)
  assert.doesNotMatch(await refused(getSecurely, { rejectUnauthorized: false }), /answered/)
  // With the key, what is no segment's name is nothing.
  for (const path of ["/", "/segments/", "/segments/../good/a.parquet", "/segments/..%2fa.parquet"])
    assert.equal(await refused(getSecurely, { ...askingTls(key), path }), "answered 404")
  assert.equal(await refused(getSecurely, askingTls(key)), "answered 200")
})

test("a node that is cut off in the middle leaves nothing here, and stopping ends the wait", async () => {
  const { address } = good
  assert.ok(address)
  // Passes on what the node sends, and hangs up after a megabyte.
  const port = await freePort()
  const { connect } = await import("node:net")
  const proxy = createServer((socket) => {
    const node = connect(address.port, host)
    let passed = 0
    node.on("data", (piece) => {
      passed += piece.length
      if (passed > 1_000_000) socket.destroy()
      else socket.write(piece)
    })
    socket.pipe(node)
    for (const each of [socket, node]) each.on("error", () => undefined)
    socket.on("close", () => node.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(port, host, resolve))
  after(() => proxy.close())
  const cut: Peer = { id: "node_cut", host: "cut", address: { host, port } }
  const place = placeOf("cut-off")
  const failed = await bringSegment(wantedOf("b"), [cut], place)
  assert.deepEqual(
    failed?.map(({ why }) => why),
    ["unreachable"],
  )
  assert.deepEqual(readdirSync(place.segments), [])

  const silent = createServer(() => undefined)
  const silentPort = await freePort()
  await new Promise<void>((resolve) => silent.listen(silentPort, host, resolve))
  after(() => silent.close())
  const stopping = new AbortController()
  const waiting = bringSegment(
    wantedOf("b"),
    [{ id: "node_silent", host: "silent", address: { host, port: silentPort } }],
    { ...place, signal: stopping.signal },
  )
  setTimeout(() => stopping.abort(), 100)
  await assert.rejects(waiting, { name: "AbortError" })
})

test("a disk that takes nothing is a fault of this node, and no other is asked", async () => {
  const place = placeOf("file")
  writeFileSync(place.segments, "")
  await assert.rejects(bringSegment(wantedOf("a"), [good, good], place), /EEXIST|ENOTDIR/)
})

test("the other nodes are asked, those that were heard of last first", () => {
  const node = (id: string, seenAt: number, serves: object) => ({
    ...{ id, host: id, version: "1", indexFormat: 3, serves: JSON.stringify(serves) },
    ...{ startedAt: 0, seenAt, clockOffMs: 0, foldedAt: 0, leftAt: null },
  })
  const address = { host: "two", port: 9465 }
  const nodes = [
    node("node_1", 9, { segments: { host: "one", port: 1 } }),
    node("node_2", 5, { segments: address }),
    node("node_3", 7, { port: 8080 }),
  ]
  assert.deepEqual(peersOf(nodes, "node_1"), [
    { id: "node_3", host: "node_3", address: null },
    { id: "node_2", host: "node_2", address },
  ])
})
