import {
  type FileToPack,
  packMessage,
  readAgeHeader,
  seal,
  type ThreadAddress,
  threadKeys,
  verifierOf,
  withdrawToken,
} from "@assay/core/drop"
import { foundIn, inspect, strip } from "@assay/core/drop/metadata"
import type { DropKeys, Letter, LetterFile, SealedLetter, Thread } from "./worker-calls.ts"

/**
 * Turns a letter into the sealed message: cleaned, packed, padded to its class and sealed. Throws
 * rather than return anything less.
 */
export async function sealLetter(
  letter: Letter,
  keys: DropKeys,
  onShare: (share: number) => void,
): Promise<SealedLetter> {
  const { sealedBy, message, mode, lang, thread } = letter
  if ((mode === "two-way") !== (thread !== null))
    throw new Error("only a two-way message has a thread")
  const files: FileToPack[] = []
  for (const file of letter.files) files.push(await prepared(file))
  const envelope = packMessage({
    sealedBy,
    mode,
    lang,
    ...(thread === null ? {} : { thread: await addressOf(thread, keys) }),
    message,
    files,
  })
  const sealed = await seal(envelope, keys, (done, total) => onShare(done / total))
  // Checked once more, as the server will: nothing unsealed may leave.
  const header = readAgeHeader(sealed)
  if (
    header === "incomplete" ||
    "fault" in header ||
    header.suite !== keys.suite ||
    header.stanzas !== keys.keys.length
  )
    throw new Error("not sealed to these keys")
  return { sealed: new Uint8Array(sealed), withdrawVerifier: hex(withdrawVerifier(thread, keys)) }
}

async function prepared({ file, untouched, keptName }: LetterFile): Promise<FileToPack> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const report = inspect(bytes)
  const { type, extension, treatment } = report
  const rest = { type, extension, ...foundIn(report), ...(keptName && { originalName: keptName }) }
  if (untouched) return { ...rest, bytes, metadata: "kept" }
  // Unknown files, and files that cannot be cleaned, are sent unchanged: the report has shown that
  // to the sender.
  if (treatment !== "clean" && treatment !== "malformed")
    return { ...rest, bytes, metadata: "unknown" }
  const cleaned = strip(bytes)
  if ("fault" in cleaned) throw new Error("a file cannot be cleaned")
  return { ...rest, bytes: cleaned.bytes, metadata: "stripped" }
}

async function addressOf({ secret, n }: Thread, keys: DropKeys): Promise<ThreadAddress> {
  const { mailbox, replyTo, replyToPq, deleteToken } = await threadKeys(
    secret,
    keys.dropId,
    keys.suite,
  )
  return {
    mailbox: hex(mailbox),
    reply_to: replyTo,
    ...(replyToPq === undefined ? {} : { reply_to_pq: replyToPq }),
    delete_verifier: hex(verifierOf(deleteToken)),
    n,
  }
}

/**
 * Random where nothing could withdraw the message later: a verifier that came twice would join two
 * messages.
 */
function withdrawVerifier(thread: Thread | null, { dropId }: DropKeys): Uint8Array {
  if (thread === null || thread.n === null) return crypto.getRandomValues(new Uint8Array(32))
  return verifierOf(withdrawToken(thread.secret, dropId, thread.n))
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}
