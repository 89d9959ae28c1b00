import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { test } from "node:test"
import {
  aliasTag,
  hashStart,
  IDENTITY_TAGS,
  identityKey,
  identityKeyOf,
  keyCheckValue,
  passwordFingerprint,
  type Sha256,
  SUBKEY_NAMES,
  subkeyInfo,
} from "./keys.ts"

const sha256: Sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest()
const subkey = new Uint8Array(32).fill(7)
const other = new Uint8Array(32).fill(8)
const key = identityKey(sha256, subkey, IDENTITY_TAGS.email, "alice@example.com")
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/**
 * A hash whose digest begins with the given bytes, for values that a real one takes years to reach.
 */
const digestOf =
  (...first: number[]): Sha256 =>
  () => {
    const digest = new Uint8Array(32).fill(0xee)
    digest.set(first)
    return digest
  }

test("an identity key has 16 bytes and is a function of subkey, kind and canonical form", () => {
  assert.equal(key.length, 16)
  assert.deepEqual(identityKey(sha256, subkey, IDENTITY_TAGS.email, "alice@example.com"), key)
  assert.notDeepEqual(identityKey(sha256, other, IDENTITY_TAGS.email, "alice@example.com"), key)
  assert.notDeepEqual(identityKey(sha256, subkey, IDENTITY_TAGS.phone, "alice@example.com"), key)
  assert.notDeepEqual(identityKey(sha256, subkey, IDENTITY_TAGS.email, "alicf@example.com"), key)
})

test("an identity key does not hold on to the digest it was cut from", () => {
  // Node's hash answers with a Buffer, whose slices are views.
  assert.ok(Buffer.isBuffer(sha256(subkey)))
  assert.equal(key.buffer.byteLength, 16)
})

test("only sixteen bytes are taken for a stored key", () => {
  assert.deepEqual(identityKeyOf(Uint8Array.from(key)), key)
  assert.throws(() => identityKeyOf(new Uint8Array(15)), RangeError)
  assert.throws(() => identityKeyOf(new Uint8Array(17)), RangeError)
})

test("a subkey of any length but 32 is refused before anything is hashed with it", () => {
  const never: Sha256 = () => assert.fail("hashed")
  const forms = { exact: "a+b@c.de", canonical: "a@c.de" }
  for (const wrong of [new Uint8Array(0), new Uint8Array(31), new Uint8Array(33)]) {
    assert.throws(() => identityKey(never, wrong, IDENTITY_TAGS.email, "a@b.co"), RangeError)
    assert.throws(() => aliasTag(never, wrong, key, forms), RangeError)
    assert.throws(() => keyCheckValue(never, wrong), RangeError)
    assert.throws(() => passwordFingerprint(never, wrong, key, bytes("x")), RangeError)
  }
})

test("the canonical address has alias tag 0 and no alias ever has", () => {
  const canonical = "alice@example.com"
  assert.equal(aliasTag(sha256, subkey, key, { exact: canonical, canonical }), 0)
  const alias = { exact: "alice+x@example.com", canonical }
  assert.equal(aliasTag(digestOf(0, 0), subkey, key, alias), 1)
  assert.equal(aliasTag(digestOf(0, 1), subkey, key, alias), 1)
  assert.equal(aliasTag(digestOf(1, 0), subkey, key, alias), 256)
  assert.equal(aliasTag(digestOf(0xff, 0xff), subkey, key, alias), 0xffff)
})

test("an alias tag depends on the alias, the mailbox and the subkey", () => {
  const canonical = "alice@example.com"
  const alias = { exact: "alice+x@example.com", canonical }
  const tag = aliasTag(sha256, subkey, key, alias)
  const otherKey = identityKey(sha256, subkey, IDENTITY_TAGS.email, "bob@example.com")
  assert.notEqual(aliasTag(sha256, subkey, key, { exact: "alice+y@example.com", canonical }), tag)
  assert.notEqual(aliasTag(sha256, subkey, otherKey, alias), tag)
  assert.notEqual(aliasTag(sha256, other, key, alias), tag)
})

test("a key is the hash of one whole block and of the hash of its canonical form", () => {
  const start = hashStart(subkey, IDENTITY_TAGS.email)
  assert.equal(start.length, 64)
  assert.deepEqual(start.subarray(0, 32), subkey)
  assert.deepEqual([...start.subarray(32)], [1, ...new Array<number>(31).fill(0)])
  const whole = sha256(start, sha256(bytes("alice@example.com")))
  assert.deepEqual([...key], [...whole.subarray(0, 16)])
})

test("a key check value is its version and 16 lower-case hexadecimal digits, and tells secrets apart", () => {
  assert.match(keyCheckValue(sha256, subkey), /^v2:[0-9a-f]{16}$/)
  assert.notEqual(keyCheckValue(sha256, subkey), keyCheckValue(sha256, other))
  assert.equal(keyCheckValue(digestOf(0, 1, 2, 3, 4, 5, 6, 0xab), subkey), "v2:00010203040506ab")
})

test("a password fingerprint is the first twelve bits and no more", () => {
  assert.equal(passwordFingerprint(digestOf(0xab, 0xcd), subkey, key, bytes("x")), 0xabc)
  assert.equal(passwordFingerprint(digestOf(0xab, 0xc0), subkey, key, bytes("x")), 0xabc)
  assert.equal(passwordFingerprint(digestOf(0xff, 0xff), subkey, key, bytes("x")), 4095)
  assert.equal(passwordFingerprint(digestOf(0, 0x0f), subkey, key, bytes("x")), 0)
})

test("the same password of two people does not show as the same", () => {
  const bob = identityKey(sha256, subkey, IDENTITY_TAGS.email, "bob@example.com")
  assert.notEqual(
    passwordFingerprint(sha256, subkey, key, bytes("hunter2")),
    passwordFingerprint(sha256, subkey, bob, bytes("hunter2")),
  )
})

test("the derivation names of the subkeys are the frozen ones", () => {
  assert.deepEqual(SUBKEY_NAMES.map(subkeyInfo), [
    "assay/v1/identity",
    "assay/v1/alias",
    "assay/v1/password",
    "assay/v1/context",
    "assay/v1/audit",
    "assay/v1/demo-key",
    "assay/v1/sealed-identity",
    "assay/v1/request",
    "assay/v1/nodes",
  ])
})
