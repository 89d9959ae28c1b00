import assert from "node:assert/strict"
import { test } from "node:test"
import {
  MAILBOX_SLOTS,
  newIdentityFile,
  newSecret,
  packReply,
  recipientsOf,
  replyRecipients,
  seal,
  SMALLEST_CLASS,
  threadKeys,
} from "@assay/core/drop"
import { openReplies } from "./answers.ts"
import type { DropKeys } from "./worker-calls.ts"

const { recipient } = await newIdentityFile(undefined, "x25519")
const keys: DropKeys = {
  ...recipientsOf([recipient]),
  dropId: new Uint8Array(16).fill(7),
  fingerprint: [],
}
const secret = newSecret()
const { replyTo } = await threadKeys(secret, keys.dropId, keys.suite)
const recipients = replyRecipients({ reply_to: replyTo }, keys)
const reply = await seal(packReply({ sealedBy: "sender", lang: "en", message: "Yes" }), recipients)
const strangers = await Promise.all([1, 2].map(() => newIdentityFile(undefined, "x25519")))
const filler = await seal(
  new Uint8Array(SMALLEST_CLASS),
  recipientsOf(strangers.map(({ recipient }) => recipient)),
)

function mailbox(...slots: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(slots))
}

test("T4: replies are found in whichever slots they are, and filling is no reply", async () => {
  const found = await openReplies(secret, keys, mailbox(filler, reply, filler, reply))
  assert.deepEqual(found, [
    { message: "Yes", file: null },
    { message: "Yes", file: null },
  ])
  assert.deepEqual(await openReplies(secret, keys, mailbox(filler, filler, filler, filler)), [])
  assert.deepEqual(await openReplies(newSecret(), keys, mailbox(reply, reply, reply, reply)), [])
})

test("replies come out in the order they were written, the acknowledgement first and one by hand last", async () => {
  const sealed = (message: string, order?: number): Promise<Uint8Array> =>
    seal(
      packReply({
        sealedBy: "browser",
        lang: "en",
        message,
        ...(order === undefined ? {} : { order }),
      }),
      recipients,
    )
  const [byHand, second, arrived, first] = await Promise.all([
    sealed("by hand"),
    sealed("second", 2),
    sealed("arrived", 0),
    sealed("first", 1),
  ])
  const found = await openReplies(secret, keys, mailbox(byHand, second, arrived, first))
  assert.deepEqual(
    found.map((each) => each?.message),
    ["arrived", "first", "second", "by hand"],
  )
})

test("T6: a reply that was changed, or is none, is told as damaged and hides no other", async () => {
  const changed = reply.slice()
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  const none = await seal(new Uint8Array(SMALLEST_CLASS), recipients)
  const found = await openReplies(secret, keys, mailbox(changed, reply, none, filler))
  assert.deepEqual(found, [{ message: "Yes", file: null }, null, null])
})

test("a mailbox of another size than four replies is refused, and never taken for an empty one", async () => {
  const slots = Array.from({ length: MAILBOX_SLOTS }, () => filler)
  for (const wrong of [mailbox(), mailbox(...slots).subarray(1), new Uint8Array(400)])
    await assert.rejects(openReplies(secret, keys, wrong))
})
