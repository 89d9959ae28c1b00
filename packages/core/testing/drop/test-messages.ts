// What the tests of this folder make messages of.
import { generateHybridIdentity, generateX25519Identity, identityToRecipient } from "age-encryption"
import type { FileToPack, MessageToPack } from "../../src/drop/envelope.ts"
import type { ThreadAddress } from "../../src/drop/manifest.ts"
import type { Recipients, Suite } from "../../src/drop/recipients.ts"
import { threadAddress, threadKeys } from "../../src/drop/thread-keys.ts"

const DROP_ID = new Uint8Array(16).fill(0xaa)

export async function testRecipients(
  count: number,
  suite: Suite = "x25519",
): Promise<Recipients & { readonly identities: readonly string[] }> {
  const generate = suite === "pq" ? generateHybridIdentity : generateX25519Identity
  const identities = await Promise.all(Array.from({ length: count }, generate))
  const keys = await Promise.all(identities.map((identity) => identityToRecipient(identity)))
  return { suite, keys, identities }
}

/** The thread of a code that is the same 15 bytes. */
export async function testThread(byte: number, suite: Suite = "x25519"): Promise<ThreadAddress> {
  return threadAddress(await threadKeys(new Uint8Array(15).fill(byte), DROP_ID, suite), 0)
}

export const oneWay = (message: string, files: readonly FileToPack[] = []): MessageToPack => ({
  sealedBy: "browser",
  mode: "one-way",
  lang: "en",
  message,
  files,
})

export const twoWay = (
  message: string,
  thread: ThreadAddress,
  files: readonly FileToPack[] = [],
): MessageToPack => ({ ...oneWay(message, files), mode: "two-way", thread })

export const fileOf = (bytes: Uint8Array, originalName?: string): FileToPack => ({
  bytes,
  type: "application/octet-stream",
  extension: ".bin",
  metadata: "unknown",
  ...(originalName === undefined ? {} : { originalName }),
})

/** Checks that this is refused with this word, and that the refusal quotes nothing. */
export function refusedAs(code: string) {
  return (error: unknown): boolean =>
    error instanceof Error &&
    error.name === "EnvelopeFault" &&
    (error as Error & { code: string }).code === code &&
    error.message === `The envelope is refused: ${code}`
}
