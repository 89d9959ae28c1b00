import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { openGuardedPosts } from "@assay/runtime/outbound/guarded-post"
import { readAddressRange } from "@assay/runtime/outbound/address-guard"
import {
  openTestNameServer,
  type Records,
} from "../../testing/score/email/network/test-name-server.ts"
import { readNameServers } from "../base/name-servers.ts"
import { openNameService } from "../score/email/network/name-service.ts"
import { proofRecord, proofToken, proofUrl } from "./domain-proof.ts"
import { openDomainProofs } from "./domain-proofs.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-proof-"))
const DOMAIN = "mail.example"
const token = proofToken(new Uint8Array(32).fill(1), 7, DOMAIN)
const answers = new Map<string, { status: number; body: string }>()
const asked: string[] = []
let server: Server
let ca = ""

before(async () => {
  const at = (name: string): string => join(directory, name)
  const made = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", `/CN=${DOMAIN}`],
    ...["-addext", `subjectAltName=DNS:${DOMAIN},DNS:moved.example`],
    ...["-keyout", at("key.pem"), "-out", at("cert.pem")],
  ])
  assert.equal(made.status, 0, made.stderr.toString())
  ca = readFileSync(at("cert.pem"), "utf8")
  server = createServer({ key: readFileSync(at("key.pem")), cert: ca }, (request, response) => {
    asked.push(`${request.method} ${request.headers.host?.split(":")[0]}${request.url}`)
    const { status, body } = answers.get(request.headers.host?.split(":")[0] ?? "") ?? {
      status: 404,
      body: "",
    }
    response.writeHead(status, status === 302 ? { location: `https://${DOMAIN}/` } : {}).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
})
after(() => {
  server.close()
  rmSync(directory, { recursive: true })
})

/** Proofs by a name server and a web server of this machine; every name is at this machine. */
async function proofs(
  names: Record<string, Records> | null,
  { allowed = ["127.0.0.1"], trusted = ca } = {},
) {
  const servers = names && readNameServers((await openTestNameServer(names)).address)
  const { port } = server.address() as AddressInfo
  const posts = openGuardedPosts({
    allowed: allowed.flatMap((text) => readAddressRange(text) ?? []),
    timeoutMs: 5_000,
    bodyBytesMax: 1_000,
    findAddresses: (_, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
    ca: trusted,
  })
  after(() => posts.close())
  return openDomainProofs({
    names: servers && openNameService(servers),
    posts,
    urlOf: (domain) => proofUrl(domain).replace(domain, `${domain}:${port}`),
  })
}

test("a token is the same for a tenant and a domain, and another for any other", () => {
  const subkey = new Uint8Array(32).fill(1)
  assert.equal(token, proofToken(subkey, 7, DOMAIN))
  const others = [
    proofToken(subkey, 8, DOMAIN),
    proofToken(subkey, 7, "other.example"),
    proofToken(new Uint8Array(32).fill(2), 7, DOMAIN),
  ]
  assert.equal(new Set([token, ...others]).size, 4)
  assert.match(token, /^assay-domain-verification=[0-9a-f]{40}$/)
})

test("a TXT record proves a domain, among others and in several strings, and no other does", async () => {
  const record = proofRecord(DOMAIN)
  const half = Math.floor(token.length / 2)
  for (const [TXT, proof] of [
    [["v=spf1 -all", token], "dns"],
    [[[token.slice(0, half), token.slice(half)]], "dns"],
    [[token.slice(0, -1)], null],
    [[`${token}0`], null],
    [[token.replace("=", " ")], null],
    ["servfail", null],
    ["silent", null],
    [[], null],
  ] as const) {
    const proofOf = await proofs({ [record]: { TXT } })
    assert.equal(await proofOf({ domain: DOMAIN, token }), proof, JSON.stringify(TXT))
  }
  // At the domain itself it proves nothing, nor where there is no such name.
  const apex = await proofs({ [DOMAIN]: { TXT: [token] } })
  assert.equal(await apex({ domain: DOMAIN, token }), null)
})

test("a file over HTTPS proves a domain, and no redirect, other text or other certificate does", async () => {
  const proofOf = await proofs(null)
  for (const [status, body, proof] of [
    [200, token, "file"],
    [200, `of our webmaster\r\n  ${token}  \r\n`, "file"],
    [200, `${token}0`, null],
    [200, `${" ".repeat(1_000)}\n${token}`, null],
    [404, token, null],
    [302, token, null],
  ] as const) {
    answers.set(DOMAIN, { status, body })
    assert.equal(await proofOf({ domain: DOMAIN, token }), proof, `${status} ${body.length}`)
  }
  assert.equal(asked.at(-1), `GET ${DOMAIN}/.well-known/assay-domain-verification.txt`)
  answers.set(DOMAIN, { status: 200, body: token })
  answers.set("other.example", { status: 200, body: token })
  assert.equal(await proofOf({ domain: "other.example", token }), null, "of another name")
  const before = asked.length
  const untrusted = await proofs(null, { trusted: "" })
  assert.equal(await untrusted({ domain: DOMAIN, token }), null, "of nobody known")
  const guarded = await proofs(null, { allowed: [] })
  assert.equal(await guarded({ domain: DOMAIN, token }), null, "at a private address")
  assert.equal(asked.length, before)
})

test("the file is looked for where no record is", async () => {
  answers.set(DOMAIN, { status: 200, body: token })
  const proofOf = await proofs({})
  assert.equal(await proofOf({ domain: DOMAIN, token }), "file")
})
