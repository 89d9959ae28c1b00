import type { Manifest } from "./manifest.ts"

/**
 * Replies in the order they were written. The store gives them in the order of their random ids, so
 * each says its number inside. One that says none was made by hand and comes last; an
 * acknowledgement has the lowest number there is.
 */
export function inReplyOrder<R extends { readonly manifest: Pick<Manifest, "order"> }>(
  replies: readonly R[],
): R[] {
  const place = ({ manifest: { order = Number.MAX_VALUE } }: R): number => order
  return [...replies].sort((a, b) => place(a) - place(b))
}
