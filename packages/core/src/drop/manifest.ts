import { EnvelopeFault } from "./envelope-fault.ts"
import { attachmentName, keptName } from "./file-names.ts"
import { FILES_MAX, WITHDRAWABLE } from "./limits.ts"
import { type Suite, suiteOf } from "./recipients.ts"

/** Who sealed a message, by their own word: `server` could have read it while it did. */
export type SealedBy = "browser" | "server" | "sender"
export type Mode = "one-way" | "two-way"
export type MetadataState = "stripped" | "kept" | "unknown"

/**
 * What a recipient needs to answer, and to delete an answer's last trace. Inside the sealed message
 * only.
 */
export interface ThreadAddress {
  /** 32 bytes, hexadecimal. */
  readonly mailbox: string
  readonly reply_to: string
  readonly reply_to_pq?: string
  readonly delete_verifier: string
  /** Which message of one visit; null when nothing remembers. */
  readonly n: number | null
}

export interface ManifestFile {
  /** Ours, never the sender's: `attachment-1.jpg`. */
  readonly name: string
  readonly type: string
  readonly metadata: MetadataState
  /**
   * Kinds of hidden data that were found in it before it was sent, removed or not; never their
   * values. Absent: nobody looked.
   */
  readonly found?: readonly string[]
  /** The file's name on the sender's machine, only if the sender asked to keep it. */
  readonly original_name?: string
}

/** The first member of every envelope. */
export interface Manifest {
  readonly v: 1
  /** 16 random bytes, hexadecimal: a message that comes twice is seen as one. */
  readonly nid: string
  readonly sealed_by: SealedBy
  readonly mode: Mode
  readonly lang: string
  readonly thread?: ThreadAddress
  readonly files: readonly ManifestFile[]
  /** Of a reply: its number in the thread. 0 is the automatic acknowledgement. */
  readonly order?: number
}

/** Far more replies than anybody writes in a thread. */
export const ORDER_MAX = 1_000_000
/** No manifest of ours is near this; a longer one is not even parsed. */
const MANIFEST_MAX = 65_536
/** An `age1pq1` key is the longest. */
const RECIPIENT_LENGTH_MAX = 1_959

/** A kind of hidden data; a later version may know others. */
const LABEL = /^[a-z-]{1,40}$/
const HEX_16 = /^[0-9a-f]{32}$/
const HEX_32 = /^[0-9a-f]{64}$/
const LANG = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,3}$/
const MEDIA_TYPE = /^[a-z0-9.+-]{1,64}\/[a-z0-9.+-]{1,64}$/

export function writeManifest(manifest: Manifest): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(manifest))
}

/**
 * The manifest in these bytes. They may come from anybody who has the drop's keys, so every member
 * is checked. Unknown members are not copied: a later version may add some.
 */
export function readManifest(bytes: Uint8Array): Manifest {
  if (bytes.length > MANIFEST_MAX) throw new EnvelopeFault("size")
  const given = readRecord(parse(bytes))
  const files = given["files"]
  if (given["v"] !== 1 || !Array.isArray(files) || files.length > FILES_MAX) throw refused()
  const mode = readWord(given["mode"], ["one-way", "two-way"])
  const thread = given["thread"] === undefined ? undefined : readThread(given["thread"])
  if (mode === "one-way" && thread !== undefined) throw refused()
  const order = given["order"]
  return {
    v: 1,
    nid: readText(given["nid"], HEX_16),
    sealed_by: readWord(given["sealed_by"], ["browser", "server", "sender"]),
    mode,
    lang: readText(given["lang"], LANG),
    ...(thread === undefined ? {} : { thread }),
    files: files.map(readFile),
    ...(order === undefined ? {} : { order: readNumber(order, ORDER_MAX) }),
  }
}

function readThread(value: unknown): ThreadAddress {
  const given = readRecord(value)
  const { reply_to: replyTo, reply_to_pq: replyToPq, n } = given
  return {
    mailbox: readText(given["mailbox"], HEX_32),
    reply_to: readRecipient(replyTo, "x25519"),
    ...(replyToPq === undefined ? {} : { reply_to_pq: readRecipient(replyToPq, "pq") }),
    delete_verifier: readText(given["delete_verifier"], HEX_32),
    n: n === null ? null : readNumber(n, WITHDRAWABLE),
  }
}

function readFile(value: unknown, index: number): ManifestFile {
  const given = readRecord(value)
  const { name, found, original_name: originalName } = given
  const extension = typeof name === "string" ? /\.[a-z0-9]{1,8}$/.exec(name)?.[0] : undefined
  if (name !== attachmentName(index + 1, extension ?? "")) throw refused()
  if (originalName !== undefined && typeof originalName !== "string") throw refused()
  if (found !== undefined && !Array.isArray(found)) throw refused()
  return {
    name,
    type: readText(given["type"], MEDIA_TYPE),
    metadata: readWord(given["metadata"], ["stripped", "kept", "unknown"]),
    ...(found === undefined ? {} : { found: found.map((label) => readText(label, LABEL)) }),
    ...(originalName === undefined ? {} : { original_name: keptName(originalName) }),
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    // No cause: the parser's message quotes the input.
    throw refused()
  }
}

function readRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refused()
  return value as Readonly<Record<string, unknown>>
}

/** A whole number below `max`. */
function readNumber(value: unknown, max: number): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value >= max)
    throw refused()
  return value
}

function readText(value: unknown, pattern: RegExp): string {
  if (typeof value !== "string" || !pattern.test(value)) throw refused()
  return value
}

function readWord<const T extends string>(value: unknown, words: readonly T[]): T {
  const word = words.find((known) => known === value)
  if (word === undefined) throw refused()
  return word
}

function readRecipient(value: unknown, suite: Suite): string {
  if (typeof value !== "string" || value.length > RECIPIENT_LENGTH_MAX) throw refused()
  try {
    if (suiteOf(value) === suite) return value
  } catch {
    throw refused()
  }
  throw refused()
}

function refused(): EnvelopeFault {
  return new EnvelopeFault("manifest")
}
