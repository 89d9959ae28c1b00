import { Decrypter, Encrypter, identityToRecipient, type Recipient } from "age-encryption"
import { readAgeHeader } from "./age-header.ts"
import { EnvelopeFault } from "./envelope-fault.ts"
import { sealedSize, SIZE_CLASSES } from "./padding.ts"
import { RECIPIENTS_MAX, type Recipients, type Suite, suiteOf } from "./recipients.ts"

/** Bytes handed to age at a time. */
const STEP = 65_536

/** Called while sealing or opening, for a progress bar: how many bytes are done, of how many. */
export type Progress = (done: number, total: number) => void

/**
 * Seals an envelope to every one of these keys, as one binary age file of exactly `sealedSize`
 * bytes.
 */
export async function seal(
  envelope: Uint8Array,
  recipients: Recipients,
  onProgress?: Progress,
): Promise<Uint8Array> {
  const sealed = new Uint8Array(
    sealedSize(envelope.length, recipients.keys.length, recipients.suite),
  )
  let at = 0
  for await (const piece of sealInPieces(envelope, recipients, onProgress)) {
    if (at + piece.length > sealed.length) throw new EnvelopeFault("size")
    sealed.set(piece, at)
    at += piece.length
  }
  if (at !== sealed.length) throw new EnvelopeFault("size")
  return sealed
}

/** The same file, piece by piece, so that it never has to be in memory as a whole. */
export async function* sealInPieces(
  envelope: Uint8Array,
  { keys, suite }: Recipients,
  onProgress?: Progress,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (!SIZE_CLASSES.includes(envelope.length)) throw new EnvelopeFault("size")
  yield* piecesOf(await encrypterTo(keys, suite).encrypt(streamOf(envelope, onProgress)))
}

/** The public key that belongs to a secret one. */
export async function recipientOf(identity: string): Promise<string> {
  return await identityToRecipient(identity)
}

/** A reply can be opened by its sender and by every recipient: one key more than a message. */
export function replyRecipients(
  { reply_to, reply_to_pq }: { readonly reply_to: string; readonly reply_to_pq?: string },
  { suite, keys }: Recipients,
): Recipients {
  const own = suite === "pq" ? reply_to_pq : reply_to
  // Never the other suite instead: the sender of a pq drop must not get replies that are weaker
  // than the message.
  if (own === undefined) throw new EnvelopeFault("recipients")
  return { suite, keys: [own, ...keys] }
}

/**
 * Opens a sealed file. Returns nothing before the whole file is authenticated. Throws an
 * `EnvelopeFault` for a file that was changed, cut or lengthened, and for one not sealed as this
 * project seals.
 */
export async function open(
  sealed: Uint8Array,
  identities: readonly string[],
  onProgress?: Progress,
): Promise<Uint8Array> {
  const header = readAgeHeader(sealed)
  if (header === "incomplete" || "fault" in header) throw new EnvelopeFault("header")
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  let opening
  try {
    opening = await decrypter.decrypt(streamOf(sealed, onProgress))
  } catch (cause) {
    throw new EnvelopeFault("identity", { cause })
  }
  try {
    const envelope = new Uint8Array(opening.size(sealed.length))
    let at = 0
    for await (const piece of piecesOf(opening)) {
      envelope.set(piece, at)
      at += piece.length
    }
    if (at === envelope.length) return envelope
  } catch (cause) {
    throw new EnvelopeFault("damaged", { cause })
  }
  throw new EnvelopeFault("damaged")
}

/**
 * The library would seal one file to keys of both suites, and to keys that mark it: both are
 * refused here. Recipients `around` the keys see the content key before and after them.
 */
export function encrypterTo(
  keys: readonly string[],
  suite: Suite,
  around: { readonly first?: Recipient; readonly last?: Recipient } = {},
): Encrypter {
  // The sender's own key on a reply is the one more.
  if (keys.length === 0 || keys.length > RECIPIENTS_MAX + 1) throw new EnvelopeFault("recipients")
  const encrypter = new Encrypter()
  if (around.first !== undefined) encrypter.addRecipient(around.first)
  for (const key of keys) {
    let found
    try {
      found = suiteOf(key)
    } catch (cause) {
      throw new EnvelopeFault("recipients", { cause })
    }
    if (found !== suite) throw new EnvelopeFault("recipients")
    encrypter.addRecipient(key)
  }
  if (around.last !== undefined) encrypter.addRecipient(around.last)
  return encrypter
}

function streamOf(bytes: Uint8Array, onProgress?: Progress): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = bytes.subarray(at, at + STEP)
        at += piece.length
        if (piece.length > 0) controller.enqueue(piece)
        onProgress?.(at, bytes.length)
        if (at === bytes.length) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

/** By hand: not every browser can iterate over a stream. */
async function* piecesOf(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // A caller that stops early has no use for the rest; after the end this does nothing.
    await reader.cancel()
  }
}
