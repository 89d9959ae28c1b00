import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { Encrypter } from "age-encryption"

/** One suite per file: a file sealed to keys of both would be as weak as the weaker. */
export type Suite = "x25519" | "pq"

/** The keys messages are sealed to, in the order of their file. */
export interface Recipients {
  readonly suite: Suite
  readonly keys: readonly string[]
}

/** Every key makes every message and reply longer, and is one more that can be stolen. */
export const RECIPIENTS_MAX = 16

/**
 * The content of a recipients file. `dropId` is null if the file does not name its drop, as in
 * files of stock `age`.
 */
export interface RecipientsFile {
  readonly dropId: Uint8Array<ArrayBuffer> | null
  readonly recipients: Recipients
}

const faults = {
  empty: "There is no key",
  secret: "This is a secret key; only the public one, which begins with age1, belongs here",
  tag: "Keys that begin with age1tag mark every message with who can open it; use an age1 or age1pq1 key",
  key: "This is no key that messages can be sealed to; an age key begins with age1 or age1pq1",
  mix: "Keys of the two kinds, age1 and age1pq1, cannot be used together",
  twice: "A key is there twice",
  many: `There are more than ${RECIPIENTS_MAX} keys`,
  "drop-id": "The id of the drop cannot be read",
} as const

/** Keys that nothing may be sealed to. The message never quotes them: one could be a secret key. */
export class RecipientsFault extends Error {
  override readonly name = "RecipientsFault"
  readonly code: keyof typeof faults
  constructor(code: keyof typeof faults) {
    super(faults[code])
    this.code = code
  }
}

/** The suite of one key, or a fault where nothing may be sealed to it. */
export function suiteOf(key: string): Suite {
  if (/^age-secret-key-/i.test(key)) throw new RecipientsFault("secret")
  if (/^age1tag/i.test(key)) throw new RecipientsFault("tag")
  if (!/^age1[a-z0-9]+$/.test(key)) throw new RecipientsFault("key")
  try {
    new Encrypter().addRecipient(key)
  } catch {
    throw new RecipientsFault("key")
  }
  return key.startsWith("age1pq1") ? "pq" : "x25519"
}

/** Keys that belong together: known kinds, of one suite, none twice, not too many. */
export function recipientsOf(keys: readonly string[]): Recipients {
  const [suite, ...others] = keys.map(suiteOf)
  if (suite === undefined) throw new RecipientsFault("empty")
  if (keys.length > RECIPIENTS_MAX) throw new RecipientsFault("many")
  if (others.some((other) => other !== suite)) throw new RecipientsFault("mix")
  if (new Set(keys).size !== keys.length) throw new RecipientsFault("twice")
  return { suite, keys: [...keys] }
}

/** Reads a recipients file: a key a line, and comments, of which one names the drop. */
export function readRecipients(text: string): RecipientsFile {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const keys = lines.filter((line) => line !== "" && !line.startsWith("#"))
  const named = lines.filter((line) => line.startsWith("# drop id"))
  const [, hex] = /^# drop id ([0-9a-f]{32})$/.exec(named[0] ?? "") ?? []
  if (named.length > 1 || (named.length === 1 && hex === undefined))
    throw new RecipientsFault("drop-id")
  return {
    dropId: hex === undefined ? null : new Uint8Array(hexToBytes(hex)),
    recipients: recipientsOf(keys),
  }
}

/** A recipients file that `age -R` takes unchanged. */
export function recipientsFile({
  dropId,
  recipients,
}: {
  readonly dropId: Uint8Array | null
  readonly recipients: Recipients
}): string {
  const named = dropId === null ? [] : [`# drop id ${bytesToHex(dropId)}`]
  return ["# drop/v1", ...named, ...recipients.keys, ""].join("\n")
}
