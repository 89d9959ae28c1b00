import assert from "node:assert/strict"
import { test } from "node:test"
import {
  newIdentityFile,
  newSecret,
  open,
  type OpenedMessage,
  readIdentities,
  recipientsOf,
  sealedSize,
  SMALLEST_CLASS,
  threadKeys,
  unpackMessage,
  verifierOf,
  withdrawToken,
} from "@assay/core/drop"
import { hex, sealLetter } from "./seal-letter.ts"
import type { DropKeys, Letter } from "./worker-calls.ts"
import { zipOf } from "../../../core/testing/drop/metadata/test-documents.ts"
import {
  jpegFamilies,
  jpegWith,
  smallJpeg,
} from "../../../core/testing/drop/metadata/test-pictures.ts"

const { file, recipient } = await newIdentityFile(undefined, "x25519")
const identities = await readIdentities(file)
const dropId = new Uint8Array(16).fill(7)
const keys: DropKeys = { ...recipientsOf([recipient]), dropId, fingerprint: [] }

const letter: Letter = {
  sealedBy: "browser",
  message: "a text",
  mode: "one-way",
  lang: "en",
  files: [],
  thread: null,
}

async function opened(sealed: Uint8Array): Promise<OpenedMessage> {
  return unpackMessage(await open(sealed, identities))
}

const seal = (changes: Partial<Letter>) =>
  sealLetter({ ...letter, ...changes }, keys, () => undefined)

test("a two-way letter carries the thread and the verifier of its number; a one-way letter neither", async () => {
  const secret = newSecret()
  const twoWay = await seal({ mode: "two-way", thread: { secret, n: 3 } })
  const { mailbox, replyTo, deleteToken } = await threadKeys(secret, dropId, "x25519")
  assert.deepEqual((await opened(twoWay.sealed)).manifest.thread, {
    mailbox: hex(mailbox),
    reply_to: replyTo,
    delete_verifier: hex(verifierOf(deleteToken)),
    n: 3,
  })
  assert.equal(twoWay.withdrawVerifier, hex(verifierOf(withdrawToken(secret, dropId, 3))))

  const oneWay = await seal({})
  assert.equal((await opened(oneWay.sealed)).manifest.thread, undefined)
  assert.match(oneWay.withdrawVerifier, /^[0-9a-f]{64}$/)
  // From outside they are the same.
  assert.equal(oneWay.sealed.length, twoWay.sealed.length)
  assert.equal(oneWay.sealed.length, sealedSize(SMALLEST_CLASS, 1, "x25519"))
})

test("a letter of a later visit has a new random verifier each time, which joins it to nothing", async () => {
  const secret = newSecret()
  const later = () => seal({ mode: "two-way", thread: { secret, n: null } })
  const verifiers = (await Promise.all([later(), later()])).map((each) => each.withdrawVerifier)
  const known = Array.from({ length: 16 }, (_, n) =>
    hex(verifierOf(withdrawToken(secret, dropId, n))),
  )
  assert.equal(new Set([...verifiers, ...known]).size, 18)
})

test("files are named by us; a name is kept only where it was asked for", async () => {
  const text = new Blob(["no picture"])
  const { sealed } = await seal({
    files: [
      { file: text, untouched: false, keptName: null },
      { file: text, untouched: true, keptName: "my name.txt" },
    ],
  })
  const { files } = await opened(sealed)
  assert.deepEqual(
    files.map(({ metadata, original_name }) => ({ metadata, original_name })),
    [
      { metadata: "unknown", original_name: undefined },
      { metadata: "kept", original_name: "my name.txt" },
    ],
  )
})

test("the kinds of hidden data that were found travel with a file, and never what they said", async () => {
  const odt = zipOf({
    mimetype: "application/vnd.oasis.opendocument.text",
    "meta.xml": "<meta:initial-creator>Jane Canary</meta:initial-creator>",
  })
  const photo = jpegWith(smallJpeg, [jpegFamilies["comment"] ?? new Uint8Array()])
  const file = (bytes: Uint8Array, untouched = false) => ({
    file: new Blob([new Uint8Array(bytes)]),
    untouched,
    keptName: null,
  })
  const { sealed } = await seal({ files: [file(photo), file(smallJpeg, true), file(odt)] })
  const { manifest } = await opened(sealed)
  assert.deepEqual(
    manifest.files.map(({ metadata, found }) => [metadata, found]),
    [
      ["stripped", ["comment"]],
      ["kept", []],
      ["unknown", ["author"]],
    ],
  )
  assert.doesNotMatch(JSON.stringify(manifest), /Canary/)
})

test("what cannot be sealed as asked is refused: a picture that cannot be cleaned, a thread in one-way mode, nothing at all", async () => {
  const cut = new Blob([Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0)])
  await assert.rejects(seal({ files: [{ file: cut, untouched: false, keptName: null }] }))
  await assert.doesNotReject(seal({ files: [{ file: cut, untouched: true, keptName: null }] }))
  await assert.rejects(seal({ thread: { secret: newSecret(), n: 0 } }))
  await assert.rejects(seal({ mode: "two-way" }))
  await assert.rejects(seal({ message: "" }))
})
