import assert from "node:assert/strict"
import { createECDH } from "node:crypto"
import { test } from "node:test"
import { bech32 } from "@scure/base"
import { Decrypter, Encrypter } from "age-encryption"
import { headerSize, readAgeHeader } from "./age-header.ts"
import { packMessage, packReply, unpackMessage } from "./envelope.ts"
import { allowedSizes, classOf, sealedSize, SIZE_CLASSES } from "./padding.ts"
import { RECIPIENTS_MAX, type Suite } from "./recipients.ts"
import { open, replyRecipients, seal, sealInPieces } from "./seal.ts"
import {
  fileOf,
  oneWay,
  refusedAs,
  testRecipients,
  testThread,
  twoWay,
} from "../../testing/drop/test-messages.ts"

const soak = process.env["ASSAY_SOAK"] !== undefined
const classic = await testRecipients(2)
const hybrid = await testRecipients(2, "pq")
const thread = await testThread(1)
const small = packMessage(oneWay("hello"))
const both: readonly Suite[] = ["x25519", "pq"]

function tagKey(prefix: "age1tag" | "age1tagpq", length: number): string {
  const point = createECDH("prime256v1")
  point.generateKeys()
  const bytes = new Uint8Array(length)
  bytes.set(point.getPublicKey(null, "compressed"))
  return bech32.encode(prefix, bech32.toWords(bytes), false)
}

test("a sealed message opens with each key of each suite, and with no other", async () => {
  for (const { suite, keys, identities } of [classic, hybrid]) {
    const sealed = await seal(small, { suite, keys })
    for (const identity of identities) assert.deepEqual(await open(sealed, [identity]), small)
    const stranger = await testRecipients(1, suite)
    await assert.rejects(open(sealed, stranger.identities), refusedAs("identity"))
    await assert.rejects(open(sealed, []), refusedAs("identity"))
  }
})

test("T5: keys of two suites, marking keys, none and too many are not sealed to", async () => {
  const many = await testRecipients(RECIPIENTS_MAX + 2)
  const wrong = [
    { suite: "x25519" as const, keys: [...classic.keys, ...hybrid.keys] },
    { suite: "pq" as const, keys: [...hybrid.keys, ...classic.keys] },
    { suite: "x25519" as const, keys: [tagKey("age1tag", 33)] },
    { suite: "pq" as const, keys: [tagKey("age1tagpq", 1_249)] },
    { suite: "x25519" as const, keys: [] },
    { suite: "x25519" as const, keys: many.keys },
    { suite: "x25519" as const, keys: ["age1nonsense"] },
  ]
  for (const recipients of wrong) {
    await assert.rejects(seal(small, recipients), refusedAs("recipients"))
  }
})

test("T5: files sealed to both suites, to a tag, a passphrase, 0 or 200 keys are refused unopened", async () => {
  const sealTo = async (prepare: (encrypter: Encrypter) => void): Promise<Uint8Array> => {
    const encrypter = new Encrypter()
    prepare(encrypter)
    return await encrypter.encrypt(small)
  }
  const [own = ""] = classic.keys
  const mixed = await sealTo((to) => {
    for (const key of [...classic.keys, ...hybrid.keys]) to.addRecipient(key)
  })
  const tagged = await sealTo((to) => {
    for (const key of [own, tagKey("age1tag", 33)]) to.addRecipient(key)
  })
  const locked = await sealTo((to) => {
    to.setScryptWorkFactor(2)
    to.setPassphrase("a passphrase")
  })
  const crowd = await sealTo((to) => {
    for (let i = 0; i < 200; i += 1) to.addRecipient(own)
  })
  const none = await sealTo(() => undefined)
  for (const [sealed, fault] of [
    [mixed, "mixed"],
    [tagged, "stanza"],
    [locked, "stanza"],
    [crowd, "stanzas"],
    [none, "stanzas"],
  ] as const) {
    assert.deepEqual(readAgeHeader(sealed), { fault })
    await assert.rejects(open(sealed, classic.identities), refusedAs("header"))
  }
  const decrypter = new Decrypter()
  for (const identity of classic.identities) decrypter.addIdentity(identity)
  assert.deepEqual(await decrypter.decrypt(mixed), small, "the library alone would have opened it")
})

test("T6: a changed, cut, lengthened or reordered file opens not even in part", async () => {
  const envelope = packMessage(oneWay("hello", [fileOf(new Uint8Array(150_000).fill(7))]))
  const sealed = await seal(envelope, classic)
  const header = readAgeHeader(sealed)
  assert.ok(typeof header === "object" && "length" in header)
  const payload = header.length + 16
  const chunk = 65_536 + 16
  const changed: Uint8Array[] = []
  const flips = [
    22,
    30,
    100,
    header.length - 10,
    header.length,
    payload,
    payload + chunk,
    sealed.length - 1,
  ]
  for (const at of flips) {
    const copy = sealed.slice()
    copy[at] = (copy[at] ?? 0) ^ 1
    changed.push(copy)
  }
  for (let end = payload; end < sealed.length; end += chunk) {
    for (const length of [end - 1, end, end + 1]) changed.push(sealed.slice(0, length))
  }
  for (const extra of [1, 16, 17, chunk]) {
    const copy = new Uint8Array(sealed.length + extra)
    copy.set(sealed)
    changed.push(copy)
  }
  const swapped = sealed.slice()
  swapped.set(sealed.subarray(payload, payload + chunk), payload + chunk)
  swapped.set(sealed.subarray(payload + chunk, payload + 2 * chunk), payload)
  changed.push(swapped)
  for (const copy of changed) {
    await assert.rejects(open(copy, classic.identities), (error) =>
      ["header", "identity", "damaged"].some((code) => refusedAs(code)(error)),
    )
  }
  assert.deepEqual(await open(sealed, classic.identities), envelope)
})

test("T7: for every number of keys, all ways of sealing give one size of the allowed set", async () => {
  for (const suite of both) {
    const counts = suite === "pq" && !soak ? [1, 3] : Array.from({ length: 16 }, (_, i) => i + 1)
    const address = await testThread(2, suite)
    for (const count of counts) {
      const recipients = await testRecipients(count, suite)
      const sealedSizes = await Promise.all(
        [
          oneWay("x"),
          twoWay("y".repeat(50_000), address),
          { ...oneWay("z"), sealedBy: "server" as const },
        ].map(async (message) => (await seal(packMessage(message), recipients)).length),
      )
      const [smallest] = allowedSizes(count, suite)
      assert.deepEqual(new Set(sealedSizes), new Set([smallest]))
      const reply = packReply({ sealedBy: "sender", lang: "en", message: "yes" })
      const sealedReply = await seal(reply, replyRecipients(address, recipients))
      assert.equal(sealedReply.length, allowedSizes(count + 1, suite)[0])
    }
  }
})

test("T7: messages with files have a size of the allowed set, each file filling its class", async () => {
  const sizes = [1, 60_000, 65_536, 200_000, 1_000_000, ...(soak ? [10_485_760] : [])]
  for (const bytes of sizes) {
    const envelope = packMessage(oneWay("hello", [fileOf(new Uint8Array(bytes))]))
    assert.ok(SIZE_CLASSES.includes(envelope.length))
    assert.ok(
      envelope.length >= bytes && (envelope.length === 65_536 || envelope.length / 4 < bytes),
    )
    const sealed = await seal(envelope, classic)
    assert.ok(allowedSizes(2, "x25519").includes(sealed.length))
    assert.equal(sealed.length, sealedSize(envelope.length, 2, "x25519"))
  }
})

test("three files of the largest size and the longest message fit the largest class", () => {
  const file = fileOf(new Uint8Array(10_485_760))
  const envelope = packMessage(oneWay("x".repeat(50_000), [file, file, file]))
  assert.equal(envelope.length, SIZE_CLASSES.at(-1))
  assert.equal(unpackMessage(envelope).files.length, 3)
  assert.equal(classOf(envelope.length + 1), null)
})

test("T8: one-way, two-way and server-sealed files cannot be told apart by their bytes", async () => {
  const count = soak ? 1_000 : 30
  const kinds = [
    oneWay("A tip."),
    twoWay("A tip.", thread),
    { ...twoWay("A tip.", thread), sealedBy: "server" as const },
  ]
  const histograms = await Promise.all(
    kinds.map(async (message) => {
      const counts = new Float64Array(256)
      for (let i = 0; i < count; i += 1) {
        const sealed = await seal(packMessage(message), classic)
        const header = readAgeHeader(sealed)
        assert.ok(typeof header === "object" && "length" in header && header.length === 266)
        for (const byte of sealed.subarray(header.length)) counts[byte] = (counts[byte] ?? 0) + 1
      }
      return counts
    }),
  )
  const total = (counts: Float64Array): number => counts.reduce((sum, value) => sum + value, 0)
  const overall = total(new Float64Array(histograms.map(total)))
  let chiSquare = 0
  for (let byte = 0; byte < 256; byte += 1) {
    const column = histograms.reduce((sum, counts) => sum + (counts[byte] ?? 0), 0)
    for (const counts of histograms) {
      const expected = (column * total(counts)) / overall
      chiSquare += ((counts[byte] ?? 0) - expected) ** 2 / expected
    }
  }
  // 2 × 255 degrees of freedom. Six standard deviations: chance does this once in a thousand
  // million runs.
  assert.ok(Math.abs(chiSquare - 510) / Math.sqrt(2 * 510) < 6, `chi-square ${chiSquare}`)
})

test("T9: no part of any key is in a sealed message or reply", async () => {
  const files = [
    await seal(packMessage(twoWay("hello", thread)), classic),
    await seal(
      packReply({ sealedBy: "browser", lang: "en", message: "yes" }),
      replyRecipients(thread, classic),
    ),
  ]
  for (const key of [...classic.keys, thread.reply_to]) {
    const raw = Buffer.from(bech32.decodeToBytes(key).bytes)
    const texts = [Buffer.from(key), Buffer.from(raw.toString("base64")), raw]
    for (const file of files.map((bytes) => Buffer.from(bytes))) {
      for (const text of texts) {
        for (let at = 0; at + 8 <= text.length; at += 1) {
          assert.equal(file.indexOf(text.subarray(at, at + 8)), -1)
        }
      }
    }
  }
})

test("T12: no file key, nonce or ephemeral share comes twice", async () => {
  const count = soak ? 100_000 : 300
  const one = await testRecipients(1)
  const decrypter = new Decrypter()
  for (const identity of one.identities) decrypter.addIdentity(identity)
  const length = headerSize(1, "x25519")
  const seen = new Set<string>()
  const sealOnce = async (): Promise<void> => {
    const start = await firstBytes(sealInPieces(small, one), length + 16)
    const header = start.subarray(0, length)
    const [, share, wrapped, mac] = new TextDecoder().decode(header).split("\n")
    const fileKey = Buffer.from(await decrypter.decryptHeader(header)).toString("hex")
    const nonce = Buffer.from(start.subarray(length)).toString("hex")
    for (const value of [share, wrapped, mac, fileKey, nonce]) seen.add(value ?? "")
  }
  for (let done = 0; done < count; done += 50) {
    await Promise.all(Array.from({ length: 50 }, sealOnce))
  }
  assert.equal(seen.size, 5 * count)
})

test("progress runs to the end and never back", async () => {
  const envelope = packMessage(oneWay("hello", [fileOf(new Uint8Array(500_000))]))
  const steps: number[] = []
  await seal(envelope, classic, (done) => steps.push(done))
  assert.deepEqual(
    steps,
    steps.toSorted((a, b) => a - b),
  )
  assert.equal(steps.at(-1), envelope.length)
})

test("an envelope that is not filled up to a class is not sealed", async () => {
  await assert.rejects(seal(small.subarray(0, 65_535), classic), refusedAs("size"))
  await assert.rejects(seal(new Uint8Array(0), classic), refusedAs("size"))
})

test("a reply to a pq drop is never sealed to a weaker key", async () => {
  assert.throws(() => replyRecipients(thread, hybrid), refusedAs("recipients"))
  const address = await testThread(1, "pq")
  assert.deepEqual(replyRecipients(address, hybrid).keys, [address.reply_to_pq, ...hybrid.keys])
})

async function firstBytes(pieces: AsyncIterable<Uint8Array>, count: number): Promise<Uint8Array> {
  const start = new Uint8Array(count)
  let at = 0
  for await (const piece of pieces) {
    start.set(piece.subarray(0, count - at), at)
    at += Math.min(piece.length, count - at)
    if (at === count) break
  }
  return start
}
