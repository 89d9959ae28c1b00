import {
  MAILBOX_SLOTS,
  type Recipients,
  sealedSize,
  sealFiller,
  SMALLEST_CLASS,
} from "@assay/core/drop"
import type { Keys } from "./keys-in-use.ts"

/** Answers made ahead wait for so many visits at once. */
const READY = 8 * MAILBOX_SLOTS

export interface MailboxAnswers {
  /** Four sealed files of one size: the replies, and files that nobody can open. */
  answer(replies: readonly Uint8Array[]): Promise<Uint8Array>
}

/**
 * Makes an empty mailbox look like a full one. Filling is sealed ahead, and as much of it is used up by every visit,
 * whatever waits there, so that neither the bytes nor the time of an answer say anything.
 */
export function openMailboxAnswers(keys: Keys): MailboxAnswers {
  let ready: Promise<Uint8Array>[] = []
  let madeFor: Recipients | null = null
  const refill = ({ suite, keys: { length } }: Recipients): void => {
    while (ready.length < READY) {
      // One after the other: a visit must not wait for all of them.
      const before = ready.at(-1) ?? Promise.resolve()
      const filler = before.then(async () => await sealFiller(length, suite))
      // Whoever takes it is told; nobody may.
      filler.catch(() => undefined)
      ready.push(filler)
    }
  }
  return {
    async answer(replies) {
      const recipients = keys.current()?.recipients
      if (recipients === undefined) throw new Error("There are no keys to make filling for")
      if (madeFor !== recipients) ready = []
      madeFor = recipients
      refill(recipients)
      const fillers = await Promise.all(ready.splice(0, MAILBOX_SLOTS))
      refill(recipients)
      const files = [...replies, ...fillers].slice(0, MAILBOX_SLOTS)
      const usual = sealedSize(SMALLEST_CLASS, recipients.keys.length + 1, recipients.suite)
      // A reply from before the keys changed may be longer or shorter; each file says itself where it ends.
      const size = Math.max(usual, ...files.map(({ length }) => length))
      const answer = new Uint8Array(size * MAILBOX_SLOTS)
      files.forEach((file, n) => answer.set(file, n * size))
      return answer
    },
  }
}
