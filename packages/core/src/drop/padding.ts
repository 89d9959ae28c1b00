import { headerSize } from "./age-header.ts"
import type { Suite } from "./recipients.ts"

/**
 * Sizes that an envelope is padded to, 64 KiB to 32 MiB. A sealed message reveals nothing else
 * about its content.
 */
export const SIZE_CLASSES: readonly number[] = Array.from({ length: 10 }, (_, k) => 65_536 * 2 ** k)

/** age seals this many bytes at a time, each with a tag; a nonce precedes the first. */
const CHUNK = 65_536
const TAG = 16
const NONCE = 16

/** Replies, notes and every message without files. */
export const SMALLEST_CLASS = 65_536

/** The class that an envelope of `bytes` bytes is padded to, or null if it fits none. */
export function classOf(bytes: number): number | null {
  return SIZE_CLASSES.find((size) => bytes <= size) ?? null
}

/** Bytes of an envelope of this class, sealed to `keyCount` keys. */
export function sealedSize(sizeClass: number, keyCount: number, suite: Suite): number {
  return headerSize(keyCount, suite) + NONCE + sizeClass + Math.ceil(sizeClass / CHUNK) * TAG
}

/** Every size that a sealed message can have while there are `keyCount` keys. */
export function allowedSizes(keyCount: number, suite: Suite): readonly number[] {
  return SIZE_CLASSES.map((size) => sealedSize(size, keyCount, suite))
}
