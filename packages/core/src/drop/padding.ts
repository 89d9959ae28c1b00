import { headerSize } from "./age-header.ts"
import type { Suite } from "./recipients.ts"

/**
 * Sizes an envelope is filled up to, 64 KiB to 32 MiB: all that a sealed message shows of what is
 * in it.
 */
export const SIZE_CLASSES: readonly number[] = Array.from({ length: 10 }, (_, k) => 65_536 * 2 ** k)

/** age seals so many bytes at a time, each time with a tag; a nonce stands before the first. */
const CHUNK = 65_536
const TAG = 16
const NONCE = 16

/** Replies, notes and every message without files. */
export const SMALLEST_CLASS = 65_536

/** The class an envelope of so many bytes is filled up to, or null where it fits none. */
export function classOf(bytes: number): number | null {
  return SIZE_CLASSES.find((size) => bytes <= size) ?? null
}

/** Bytes of an envelope of this class, sealed to so many keys. */
export function sealedSize(sizeClass: number, keyCount: number, suite: Suite): number {
  return headerSize(keyCount, suite) + NONCE + sizeClass + Math.ceil(sizeClass / CHUNK) * TAG
}

/** Every size a sealed message can have while there are so many keys. */
export function allowedSizes(keyCount: number, suite: Suite): readonly number[] {
  return SIZE_CLASSES.map((size) => sealedSize(size, keyCount, suite))
}
