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
import vectors from "./vectors.json" with { type: "json" }

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
  assert.equal(
    createHash("sha256").update(JSON.stringify(vectors)).digest("hex"),
    "b2c2d8165833c3922544f0aaa783e3215b9d2241a4178ab2e2292725e7e4756d",
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

test("every frozen refusal is refused for the same reason", () => {
  for (const { input, fault } of vectors.refusedEmails) {
    const result = parseEmail(input)
    assert.equal("fault" in result && result.fault, fault, JSON.stringify(input))
  }
  for (const { input, fault } of vectors.refusedPhones) {
    const result = parsePhone(input)
    assert.equal("fault" in result && result.fault, fault, JSON.stringify(input))
  }
})

test("every frozen domain and phone number keeps its form and its key", () => {
  for (const { input, domain, key } of vectors.domains) {
    const parsed = parseDomain(input)
    assert.ok(!("fault" in parsed))
    assert.equal(parsed.domain, domain)
    assert.equal(hex(identityKey(sha256, identitySubkey, IDENTITY_TAGS.domain, domain)), key)
  }
  for (const { input, e164, key } of vectors.phones) {
    const parsed = parsePhone(input)
    assert.ok(!("fault" in parsed))
    assert.equal(parsed.e164, e164)
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
