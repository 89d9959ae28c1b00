import { readAgeHeader } from "./age-header.ts"
import { MAILBOX_SLOTS } from "./limits.ts"
import type { Manifest } from "./manifest.ts"
import { sealedSize, SMALLEST_CLASS } from "./padding.ts"

/**
 * The sealed files in the answer of a mailbox, whose slots are all of one size. A reply from before
 * the keys changed may be shorter than its slot; its header says where it ends.
 */
export function mailboxFiles(answer: Uint8Array): Uint8Array[] {
  const size = answer.length / MAILBOX_SLOTS
  if (!Number.isInteger(size) || size < sealedSize(SMALLEST_CLASS, 2, "x25519"))
    throw new Error("a mailbox has another size")
  return Array.from({ length: MAILBOX_SLOTS }, (_, n) => {
    const slot = answer.subarray(n * size, (n + 1) * size)
    const header = readAgeHeader(slot)
    if (header === "incomplete" || "fault" in header) return slot
    return slot.subarray(0, sealedSize(SMALLEST_CLASS, header.stanzas, header.suite))
  })
}

/**
 * Replies in the order they were written. The store returns them in the order of their random ids,
 * so each carries its number inside. A reply without a number was made by hand and comes last; an
 * acknowledgement has the lowest number there is.
 */
export function inReplyOrder<R extends { readonly manifest: Pick<Manifest, "order"> }>(
  replies: readonly R[],
): R[] {
  const place = ({ manifest: { order = Number.MAX_VALUE } }: R): number => order
  return [...replies].sort((a, b) => place(a) - place(b))
}
