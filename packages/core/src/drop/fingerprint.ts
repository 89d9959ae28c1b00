import { sha256 } from "@noble/hashes/sha2.js"
import type { WordList } from "./thread-code.ts"

const FINGERPRINT_WORDS = 6

/**
 * Six words that stand for a set of keys, whatever their order. Recipients print them, and a sender
 * who compares them notices keys that somebody else put there.
 */
export function fingerprint(keys: readonly string[], { words }: WordList): string[] {
  const hash = sha256(new TextEncoder().encode(keys.toSorted().join("\n")))
  const bits = hash.subarray(0, 9).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) >> 6n
  return Array.from({ length: FINGERPRINT_WORDS }, (_, word) => {
    const index = Number((bits >> BigInt(11 * (FINGERPRINT_WORDS - 1 - word))) & 0x7ffn)
    return (words[index] ?? "").normalize("NFC")
  })
}
