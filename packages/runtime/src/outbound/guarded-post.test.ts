import assert from "node:assert/strict"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { test } from "node:test"
import { openAddressGuard, readAddressRange } from "./address-guard.ts"
import {
  type FindAddresses,
  type GuardedPosts,
  openGuardedPosts,
  PostFailed,
} from "./guarded-post.ts"
import { privateSpellings } from "../../testing/private-spellings.ts"

const range = (text: string) => {
  const read = readAddressRange(text)
  if (read === null) throw new Error(`${text} is no range`)
  return read
}

function posts(allowed: readonly string[] = [], find?: FindAddresses): GuardedPosts {
  return openGuardedPosts({
    allowed: allowed.map(range),
    timeoutMs: 2_000,
    bodyBytesMax: 10,
    ...(find && { findAddresses: find }),
  })
}

const refusedAs = (code: string) => (error: unknown) => {
  assert.ok(error instanceof PostFailed, String(error))
  assert.equal(error.code, code)
  return true
}

/** A server that counts who reaches it. */
async function listening(
  answer: Parameters<typeof createServer>[1],
): Promise<{ server: Server; port: number; reached: () => number }> {
  let reached = 0
  const server = createServer(answer)
  server.on("connection", () => reached++)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { server, port: (server.address() as AddressInfo).port, reached: () => reached }
}

test("no spelling of a private address is taken or called", async () => {
  const target = await listening((_, response) => void response.end("reached"))
  const guarded = posts()
  const spellings = privateSpellings(target.port)
  assert.ok(spellings.length >= 400, String(spellings.length))
  assert.equal(new Set(spellings).size, spellings.length)
  for (const url of spellings) {
    assert.notEqual(await guarded.refusalOf(url), null, url)
    await assert.rejects(guarded.post(url, {}, "{}"), (error: unknown) => {
      assert.ok(error instanceof PostFailed)
      assert.match(error.code, /^(?:url|address)-refused$/, url)
      return true
    })
  }
  assert.equal(target.reached(), 0)
  guarded.close()
  target.server.close()
})

test("names of this machine are its address, found or not", async () => {
  const guarded = posts([], (_, done) => done(new Error("ENOTFOUND"), []))
  for (const host of ["localhost.", "a.localhost", "a.b.LOCALHOST."])
    assert.equal(await guarded.refusalOf(`https://${host}/`), "address-refused", host)
  assert.equal(await guarded.refusalOf("https://localhost.example/"), null)
  guarded.close()
})

test("addresses of the internet are public, in every family", () => {
  const guard = openAddressGuard([])
  for (const address of [
    "1.1.1.1",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "192.0.1.1",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "::ffff:1.1.1.1",
    "::ffff:101:101",
    "64:ff9b::101:101",
  ])
    assert.equal(guard.judge(address), "public", address)
  assert.equal(guard.judge("localhost"), "refused")
  assert.equal(guard.judge(""), "refused")
})

test("the operator may allow a range, and only that", () => {
  const guard = openAddressGuard(["10.1.0.0/16", "fd00::/8", "127.0.0.1"].map(range))
  assert.equal(guard.judge("10.1.2.3"), "allowed")
  assert.equal(guard.judge("::ffff:10.1.2.3"), "allowed")
  assert.equal(guard.judge("fd12::1"), "allowed")
  assert.equal(guard.judge("127.0.0.1"), "allowed")
  for (const address of ["10.2.0.1", "127.0.0.2", "fe80::1", "::1"])
    assert.equal(guard.judge(address), "refused", address)
  for (const wrong of ["", "10.0.0.0/33", "fd00::/129", "example.com", "10.0.0.0/8 or so", "/8"])
    assert.equal(readAddressRange(wrong), null, wrong)
})

test("a name that resolves to a private address is not called, alone or among others", async () => {
  const target = await listening((_, response) => void response.end("reached"))
  for (const found of [["127.0.0.1"], ["93.184.215.14", "127.0.0.1"], ["::1"], ["::ffff:7f00:1"]]) {
    const guarded = posts([], (_, done) =>
      done(
        null,
        found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      ),
    )
    const url = `https://hooks.example:${target.port}/`
    assert.equal(await guarded.refusalOf(url), "address-refused")
    await assert.rejects(guarded.post(url, {}, "{}"), refusedAs("address-refused"))
    guarded.close()
  }
  assert.equal(target.reached(), 0)
  target.server.close()
})

test("a name that changes its address after the check is judged by the one that is called", async () => {
  const target = await listening((_, response) => void response.end("reached"))
  let asked = 0
  const rebinding = posts([], (_, done) => {
    const address = asked++ === 0 ? "93.184.215.14" : "127.0.0.1"
    done(null, [{ address, family: 4 }])
  })
  const url = `https://rebinding.example:${target.port}/`
  assert.equal(await rebinding.refusalOf(url), null)
  await assert.rejects(rebinding.post(url, {}, "{}"), refusedAs("address-refused"))
  assert.equal(asked, 2)
  assert.equal(target.reached(), 0)
  rebinding.close()
  target.server.close()
})

test("a redirect is an answer, and is not followed", async () => {
  const inner = await listening((_, response) => void response.end("reached"))
  const outer = await listening((_, response) => {
    response.writeHead(307, { location: `http://127.0.0.2:${inner.port}/` }).end("away")
  })
  const guarded = posts(["127.0.0.0/8"])
  const answer = await guarded.post(`http://127.0.0.1:${outer.port}/`, {}, "{}")
  assert.deepEqual(answer, { status: 307, retryAfter: null, body: "away", isPublic: false })
  assert.equal(inner.reached(), 0)
  guarded.close()
  inner.server.close()
  outer.server.close()
})

test("an answer is read up to a limit, and one that never ends is given up", async () => {
  const slow = await listening((request, response) => {
    response.writeHead(200, { "retry-after": "7" })
    if (request.url === "/slow") response.write("begun")
    else response.end("0123456789 and more")
  })
  const guarded = openGuardedPosts({
    allowed: [range("127.0.0.1")],
    timeoutMs: 500,
    bodyBytesMax: 10,
  })
  const base = `http://127.0.0.1:${slow.port}`
  const answer = await guarded.post(`${base}/`, { "content-type": "text/plain" }, "{}")
  assert.deepEqual(answer, { status: 200, retryAfter: "7", body: "0123456789", isPublic: false })
  await assert.rejects(guarded.post(`${base}/slow`, {}, "{}"), refusedAs("timed-out"))
  guarded.close()
  slow.server.closeAllConnections()
  slow.server.close()
})

test("what cannot be reached says why", async () => {
  const closed = await listening(() => undefined)
  await new Promise((resolve) => closed.server.close(resolve))
  const guarded = posts(["127.0.0.1"], (_, done) => done(new Error("ENOTFOUND"), []))
  const nobody = `http://127.0.0.1:${closed.port}/`
  await assert.rejects(guarded.post(nobody, {}, "{}"), refusedAs("not-reached"))
  const unknown = "https://no-such-name.example/"
  await assert.rejects(guarded.post(unknown, {}, "{}"), refusedAs("name-not-found"))
  // It may be found later, so it is taken.
  assert.equal(await guarded.refusalOf(unknown), null)
  guarded.close()
})

test("plain HTTP goes to allowed networks only, and a URL carries no password", async () => {
  const find: FindAddresses = (_, done) => done(null, [{ address: "93.184.215.14", family: 4 }])
  const guarded = posts(["127.0.0.1"], find)
  assert.equal(await guarded.refusalOf("http://hooks.example/"), "url-refused")
  assert.equal(await guarded.refusalOf("https://hooks.example/"), null)
  assert.equal(await guarded.refusalOf("http://127.0.0.1/"), null)
  for (const url of [
    "https://user@hooks.example/",
    "https://:word@hooks.example/",
    "https://hooks.example/#top",
    "ftp://hooks.example/",
    "file:///etc/passwd",
    "hooks.example",
    `https://hooks.example/${"x".repeat(2_000)}`,
  ])
    assert.equal(await guarded.refusalOf(url), "url-refused", url)
  guarded.close()
})
