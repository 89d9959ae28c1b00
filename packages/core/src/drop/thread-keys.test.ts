import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { createHash, createPrivateKey, createPublicKey, hkdfSync } from "node:crypto"
import { test } from "node:test"
import { bech32 } from "@scure/base"
import fc from "fast-check"
import { codeNumbers, codeWords, readCode } from "./thread-code.ts"
import { mailboxTag, threadKeys, verifierOf, withdrawToken } from "./thread-keys.ts"
import vectors from "./vectors.json" with { type: "json" }
import { loadWords } from "./words.ts"

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"))
const hex = (data: Uint8Array): string => Buffer.from(data).toString("hex")
const english = await loadWords("en")

for (const vector of vectors) {
  const [secret, dropId] = [bytes(vector.secret), bytes(vector.dropId)]

  test("T1: code, tag, keys and verifiers are those of the published vector", async () => {
    const keys = await threadKeys(secret, dropId, "pq")
    assert.deepEqual(
      {
        words: codeWords(secret, english).join(" "),
        numbers: codeNumbers(secret).join("-"),
        mailbox: hex(keys.mailbox),
        tag: hex(mailboxTag(keys.mailbox)),
        identity: keys.identity,
        replyTo: keys.replyTo,
        pqIdentity: keys.pqIdentity,
        deleteVerifier: hex(verifierOf(keys.deleteToken)),
        withdrawVerifier: hex(verifierOf(withdrawToken(secret, dropId, 0))),
      },
      Object.fromEntries(
        Object.entries(vector).filter(([name]) => name !== "secret" && name !== "dropId"),
      ),
    )
    assert.match(keys.replyToPq ?? "", /^age1pq1/)
    assert.deepEqual(readCode(vector.words, [english]), { secret })
    assert.deepEqual(readCode(vector.numbers, []), { secret })
  })

  test("T1: an implementation of its own, in Node's OpenSSL, comes to the same vector", () => {
    assert.deepEqual(independent(secret, dropId), {
      numbers: vector.numbers,
      mailbox: vector.mailbox,
      tag: vector.tag,
      identity: vector.identity,
      replyTo: vector.replyTo,
      deleteVerifier: vector.deleteVerifier,
      withdrawVerifier: vector.withdrawVerifier,
    })
  })

  test("T1: age-keygen of this machine names the same public key", () => {
    const named = execFileSync("age-keygen", ["-y"], { input: `${vector.identity}\n` })
    assert.equal(named.toString().trim(), vector.replyTo)
  })
}

test("T1: both implementations agree on any secret and drop", async () => {
  const of = (length: number): fc.Arbitrary<Uint8Array> =>
    fc.uint8Array({ minLength: length, maxLength: length })
  await fc.assert(
    fc.asyncProperty(of(15), of(16), async (secret, dropId) => {
      const keys = await threadKeys(secret, dropId, "x25519")
      assert.equal(keys.pqIdentity, undefined)
      assert.equal(keys.replyToPq, undefined)
      assert.deepEqual(independent(secret, dropId), {
        numbers: codeNumbers(secret).join("-"),
        mailbox: hex(keys.mailbox),
        tag: hex(mailboxTag(keys.mailbox)),
        identity: keys.identity,
        replyTo: keys.replyTo,
        deleteVerifier: hex(verifierOf(keys.deleteToken)),
        withdrawVerifier: hex(verifierOf(withdrawToken(secret, dropId, 0))),
      })
    }),
    { seed: 1, numRuns: 30 },
  )
})

test("T17: the same code on another drop gives another mailbox, key and tokens, with nothing in common", async () => {
  const secret = bytes("000102030405060708090a0b0c0d0e")
  const seen: string[] = []
  for (const dropId of ["aa".repeat(16), `${"aa".repeat(15)}ab`]) {
    const { mailbox, deleteToken, identity, replyTo, pqIdentity, replyToPq } = await threadKeys(
      secret,
      bytes(dropId),
      "pq",
    )
    const withdraw = withdrawToken(secret, bytes(dropId), 0)
    seen.push(hex(mailbox), hex(deleteToken), hex(withdraw), hex(mailboxTag(mailbox)))
    seen.push(identity, replyTo, pqIdentity ?? "", replyToPq ?? "")
  }
  assert.equal(new Set(seen).size, 16)
})

test("the sixteen withdraw tokens of a visit differ, and there is no seventeenth", () => {
  const [secret, dropId] = [new Uint8Array(15), new Uint8Array(16)]
  const tokens = Array.from({ length: 16 }, (_, n) => hex(withdrawToken(secret, dropId, n)))
  assert.equal(new Set(tokens).size, 16)
  for (const n of [-1, 16, 0.5, Number.NaN])
    assert.throws(() => withdrawToken(secret, dropId, n), RangeError)
})

test("a secret or a drop id of another length is refused rather than stretched", async () => {
  await assert.rejects(threadKeys(new Uint8Array(14), new Uint8Array(16), "x25519"), RangeError)
  await assert.rejects(threadKeys(new Uint8Array(15), new Uint8Array(0), "x25519"), RangeError)
  assert.throws(() => codeNumbers(new Uint8Array(16)), RangeError)
})

/** The key schedule once more, from its description, with nothing of the code above. */
function independent(secret: Uint8Array, dropId: Uint8Array): Record<string, string> {
  const sha256 = (...parts: (string | Uint8Array)[]): Buffer => {
    const hash = createHash("sha256")
    for (const part of parts) hash.update(part)
    return hash.digest()
  }
  const bits = [...secret, ...sha256("drop/v1/checksum", secret)]
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("")
    .slice(0, 132)
  const numbers = (bits.match(/.{11}/g) ?? []).map((group) =>
    String(Number.parseInt(group, 2) + 1).padStart(4, "0"),
  )
  const salt = sha256("drop/v1/salt", dropId)
  const derive = (label: string): Buffer =>
    Buffer.from(hkdfSync("sha256", secret, salt, `drop/v1/${label}`, 32))
  const scalar = derive("reply-x25519")
  const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b656e04220420", "hex"), scalar])
  const spki = createPublicKey(
    createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" }),
  ).export({ format: "der", type: "spki" })
  const encode = (prefix: string, data: Uint8Array): string =>
    bech32.encode(prefix, bech32.toWords(data))
  return {
    numbers: numbers.join("-"),
    mailbox: derive("mailbox").toString("hex"),
    tag: sha256("drop/v1/tag", derive("mailbox")).toString("hex"),
    identity: encode("age-secret-key-", scalar).toUpperCase(),
    replyTo: encode("age", spki.subarray(-32)),
    deleteVerifier: sha256(derive("delete")).toString("hex"),
    withdrawVerifier: sha256(derive("withdraw/0")).toString("hex"),
  }
}
