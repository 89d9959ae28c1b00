import { MAILBOX_SLOTS, sealedSize, SMALLEST_CLASS } from "@assay/core/drop"
import type { Keys } from "./keys-in-use.ts"
import { newFilling } from "./mailbox-filling.ts"

export interface MailboxAnswers {
  /** Four sealed files of one size: the replies, and files that nobody can open. */
  answer(replies: readonly Uint8Array[]): Uint8Array
}

/** Makes an empty mailbox look like a full one, in bytes and in time. */
export function openMailboxAnswers(keys: Keys): MailboxAnswers {
  return {
    answer(replies) {
      const recipients = keys.current()?.recipients
      if (recipients === undefined) throw new Error("There are no keys to make filling for")
      const { suite, keys: all } = recipients
      // Builds as much filling for a full mailbox as for an empty one: the time must not reveal
      // which it is.
      const filling = Array.from({ length: MAILBOX_SLOTS }, () => newFilling(all.length, suite))
      const files = [...replies, ...filling].slice(0, MAILBOX_SLOTS)
      const usual = sealedSize(SMALLEST_CLASS, all.length + 1, suite)
      // A reply from before the keys changed may be longer or shorter; each file marks its own end.
      const size = Math.max(usual, ...files.map(({ length }) => length))
      const answer = new Uint8Array(size * MAILBOX_SLOTS)
      files.forEach((file, n) => answer.set(file, n * size))
      return answer
    },
  }
}
