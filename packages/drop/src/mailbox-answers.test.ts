import assert from "node:assert/strict"
import { test } from "node:test"
import {
  MAILBOX_SLOTS,
  mailboxFiles,
  newIdentityFile,
  readAgeHeader,
  recipientsOf,
  sealedSize,
  SMALLEST_CLASS,
} from "@assay/core/drop"
import type { Keys, KeysInUse } from "./keys-in-use.ts"
import { openMailboxAnswers } from "./mailbox-answers.ts"
import { newFilling } from "./mailbox-filling.ts"

async function keysOf(count: number): Promise<Keys> {
  const files = await Promise.all(
    Array.from({ length: count }, () => newIdentityFile(undefined, "x25519")),
  )
  const recipients = recipientsOf(files.map(({ recipient }) => recipient))
  const current: KeysInUse = { recipients, file: "", fingerprint: [], sizes: new Set() }
  return { current: () => current, reload: async () => undefined }
}

test("T15: a mailbox with no reply, with some and with four has the same bytes in number and in kind", async () => {
  const mailboxes = openMailboxAnswers(await keysOf(2))
  const size = sealedSize(SMALLEST_CLASS, 3, "x25519")
  for (let count = 0; count <= MAILBOX_SLOTS; count++) {
    const replies = Array.from({ length: count }, () => newFilling(2, "x25519"))
    const answer = mailboxes.answer(replies)
    assert.equal(answer.length, MAILBOX_SLOTS * size)
    const slots = Array.from({ length: MAILBOX_SLOTS }, (_, n) =>
      Buffer.from(answer.subarray(n * size, (n + 1) * size)),
    )
    for (const slot of slots) {
      const header = readAgeHeader(slot)
      assert.deepEqual(header, { suite: "x25519", stanzas: 3, length: size - SMALLEST_CLASS - 32 })
    }
    for (const reply of replies) assert.ok(slots.some((slot) => slot.equals(reply)))
    assert.equal(new Set(slots.map((slot) => slot.toString("base64"))).size, MAILBOX_SLOTS)
  }
})

test("T15: filling is never used twice", async () => {
  const mailboxes = openMailboxAnswers(await keysOf(1))
  const [first, second] = [mailboxes.answer([]), mailboxes.answer([])]
  assert.notDeepEqual(first, second)
})

test("a reply from before the keys changed is whole in its slot", async () => {
  const mailboxes = openMailboxAnswers(await keysOf(1))
  const old = newFilling(3, "x25519")
  const answer = mailboxes.answer([old])
  assert.ok(mailboxFiles(answer).some((file) => Buffer.from(file).equals(old)))
  assert.equal(answer.length % MAILBOX_SLOTS, 0)
  const short = newFilling(0, "x25519")
  const files = mailboxFiles(mailboxes.answer([short]))
  assert.ok(files.some((file) => Buffer.from(file).equals(short)))
})
