import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { test } from "node:test"
import {
  aliasTag,
  IDENTITY_TAGS,
  identityKey,
  keyCheckValue,
  parseDomain,
  parseEmail,
  parsePhone,
  passwordFingerprint,
  type Sha256,
} from "./index.ts"
import before from "./vectors-v1.json" with { type: "json" }
import vectors from "./vectors-v2.json" with { type: "json" }

const sha256: Sha256 = (...parts) => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest()
}
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const identitySubkey = Buffer.from(vectors.subkeys.identity, "hex")
const aliasSubkey = Buffer.from(vectors.subkeys.alias, "hex")
const passwordSubkey = Buffer.from(vectors.subkeys.password, "hex")

test("the vectors are the ones that were frozen", () => {
  const checksum = (of: object): string =>
    createHash("sha256").update(JSON.stringify(of)).digest("hex")
  assert.equal(checksum(before), "b2c2d8165833c3922544f0aaa783e3215b9d2241a4178ab2e2292725e7e4756d")
  assert.equal(
    checksum(vectors),
    "89e00c57ecddc6e4e531b135ce79178012882abbd80da18c3d3cc3b4b1c7a8ac",
  )
  assert.ok(vectors.emails.length >= 80)
  assert.ok(vectors.phones.length >= 15)
})

test("the key check value of the frozen subkey has not changed", () => {
  assert.equal(keyCheckValue(sha256, identitySubkey), vectors.keyCheckValue)
})

test("every frozen address keeps its forms, its key and its alias tag", () => {
  for (const { input, ...frozen } of vectors.emails) {
    const parsed = parseEmail(input)
    assert.ok(!("fault" in parsed), `refused: ${JSON.stringify(input)}`)
    const key = identityKey(sha256, identitySubkey, IDENTITY_TAGS.email, parsed.canonical)
    assert.deepEqual(
      {
        exact: parsed.exact,
        canonical: parsed.canonical,
        key: hex(key),
        aliasTag: aliasTag(sha256, aliasSubkey, key, parsed),
      },
      frozen,
    )
  }
})

test("canonical forms are those of identity/v1, keys and alias tags are not", () => {
  assert.equal(vectors.emails.length, before.emails.length)
  for (const [at, { input, exact, canonical, key, aliasTag: tag }] of before.emails.entries()) {
    const parsed = parseEmail(input)
    assert.ok(!("fault" in parsed))
    assert.deepEqual([parsed.exact, parsed.canonical], [exact, canonical])
    assert.notEqual(vectors.emails[at]?.key, key)
    assert.equal(vectors.emails[at]?.aliasTag === 0, tag === 0)
  }
  for (const { input, domain } of before.domains) {
    const parsed = parseDomain(input)
    assert.equal(!("fault" in parsed) && parsed.domain, domain)
  }
  for (const { input, e164 } of before.phones) {
    const parsed = parsePhone(input)
    assert.equal(!("fault" in parsed) && parsed.e164, e164)
  }
})

test("every refusal frozen with identity/v1 is refused for the same reason", () => {
  for (const { input, fault } of before.refusedEmails) {
    const result = parseEmail(input)
    assert.equal("fault" in result && result.fault, fault, JSON.stringify(input))
  }
  for (const { input, fault } of before.refusedPhones) {
    const result = parsePhone(input)
    assert.equal("fault" in result && result.fault, fault, JSON.stringify(input))
  }
})

test("every frozen domain and phone number keeps its key", () => {
  for (const { domain, key } of vectors.domains)
    assert.equal(hex(identityKey(sha256, identitySubkey, IDENTITY_TAGS.domain, domain)), key)
  for (const { e164, key } of vectors.phones) {
    assert.equal(hex(identityKey(sha256, identitySubkey, IDENTITY_TAGS.phone, e164)), key)
  }
})

test("every frozen password keeps its fingerprint", () => {
  for (const { identity, password, fingerprint } of vectors.passwords) {
    const key = identityKey(sha256, identitySubkey, IDENTITY_TAGS.email, identity)
    assert.equal(
      passwordFingerprint(sha256, passwordSubkey, key, Buffer.from(password, "utf8")),
      fingerprint,
    )
  }
})
