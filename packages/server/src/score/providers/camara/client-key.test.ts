import assert from "node:assert/strict"
import { generateKeyPairSync, type KeyObject } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { decodeProtectedHeader, jwtVerify } from "jose"
import { isExplained } from "@assay/runtime/explained"
import { readClientKey } from "./client-key.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-client-key-"))
after(() => rmSync(folder, { recursive: true }))

const NOW_MS = Date.parse("2026-03-01T12:00:00Z")
const elliptic = generateKeyPairSync("ec", { namedCurve: "P-256" })
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
const small = generateKeyPairSync("rsa", { modulusLength: 1024 })
const otherCurve = generateKeyPairSync("ec", { namedCurve: "P-384" })
const edwards = generateKeyPairSync("ed25519")

let files = 0
function fileOf(text: string): string {
  const file = join(folder, `key-${files++}`)
  writeFileSync(file, text)
  return file
}

function pemOf(key: KeyObject): string {
  return fileOf(key.export({ type: "pkcs8", format: "pem" }))
}

function settings(file: string, more: object = {}): Parameters<typeof readClientKey>[0] {
  return {
    name: "one",
    client_id: "client-7",
    private_key_file: file,
    token_url: "https://auth.example/token",
    ...more,
  }
}

test("an assertion names client, endpoint and key, has an id of its own and lives a minute", async () => {
  const key = readClientKey(settings(pemOf(elliptic.privateKey), { key_id: "key-1" }))
  const assertion = await key.assertion(NOW_MS)
  const { payload, protectedHeader } = await jwtVerify(assertion, elliptic.publicKey, {
    currentDate: new Date(NOW_MS),
    issuer: "client-7",
    subject: "client-7",
    audience: "https://auth.example/token",
    requiredClaims: ["jti", "iat", "exp"],
  })
  assert.deepEqual(protectedHeader, { alg: "ES256", kid: "key-1", typ: "JWT" })
  const { iat = 0, exp = 0 } = payload
  assert.ok(iat <= NOW_MS / 1000)
  assert.ok(exp - iat <= 300 && exp > NOW_MS / 1000 + 30)
  const next = await jwtVerify(await key.assertion(NOW_MS), elliptic.publicKey, {
    currentDate: new Date(NOW_MS),
  })
  assert.notEqual(next.payload.jti, payload.jti)
})

test("the audience is the one that is configured", async () => {
  const audience = "https://auth.example"
  const key = readClientKey(settings(pemOf(elliptic.privateKey), { audience }))
  const { payload } = await jwtVerify(await key.assertion(NOW_MS), elliptic.publicKey, {
    currentDate: new Date(NOW_MS),
  })
  assert.equal(payload.aud, audience)
})

test("the algorithm is the one that is asked for, or else the usual one for the key", async () => {
  const file = pemOf(rsa.privateKey)
  for (const [more, alg] of [
    [{}, "RS256"],
    [{ algorithm: "RS256" }, "RS256"],
    [{ algorithm: "PS256" }, "PS256"],
  ] as const) {
    const assertion = await readClientKey(settings(file, more)).assertion(NOW_MS)
    assert.equal(decodeProtectedHeader(assertion).alg, alg)
    await jwtVerify(assertion, rsa.publicKey, { currentDate: new Date(NOW_MS) })
  }
})

test("a JWK is taken with the id it has, unless the settings give another", async () => {
  const jwk = { ...elliptic.privateKey.export({ format: "jwk" }), kid: "of-the-jwk" }
  const file = fileOf(JSON.stringify(jwk))
  const own = await readClientKey(settings(file)).assertion(NOW_MS)
  assert.equal(decodeProtectedHeader(own).kid, "of-the-jwk")
  const given = await readClientKey(settings(file, { key_id: "given" })).assertion(NOW_MS)
  assert.equal(decodeProtectedHeader(given).kid, "given")
})

test("a key that cannot be used is refused at once, and nothing of the file is quoted", () => {
  const secret = "c2VjcmV0LXBhcnQtb2YtYS1rZXk"
  const publicPem = elliptic.publicKey.export({ type: "spki", format: "pem" })
  for (const [file, more] of [
    [fileOf(`-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n`), {}],
    [fileOf(`{"kty":"EC","d":"${secret}"`), {}],
    [fileOf(`{"kty":"EC","crv":"P-256","d":"${secret}"}`), {}],
    [fileOf(""), {}],
    [fileOf(publicPem), {}],
    [join(folder, "not-there"), {}],
    [pemOf(small.privateKey), {}],
    [pemOf(otherCurve.privateKey), {}],
    [pemOf(edwards.privateKey), {}],
    [pemOf(rsa.privateKey), { algorithm: "ES256" }],
    [pemOf(elliptic.privateKey), { algorithm: "PS256" }],
  ] as const)
    assert.throws(
      () => readClientKey(settings(file, more)),
      (error) =>
        isExplained(error, "settings-file") &&
        error.cause === undefined &&
        error.message.startsWith("at private_key_file of carrier one: ") &&
        !error.message.includes(secret) &&
        !error.message.includes(folder),
    )
})
