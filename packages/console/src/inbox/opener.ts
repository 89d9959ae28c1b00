import {
  contentMark,
  EnvelopeFault,
  IdentityFault,
  isLocked,
  newIdentityFile,
  open,
  openMessage,
  type OpenedFile,
  ORDER_MAX,
  packNote,
  packReply,
  packSeen,
  readIdentities,
  recipientOf,
  recipientsOf,
  replyRecipients,
  reseal,
  seal,
  unpackNote,
  unpackSeen,
} from "@assay/core/drop"
import { fileToSend, inspect, strip } from "@assay/core/drop/metadata"
import { type Opener, OpenerFailure } from "./opener-calls.ts"

/** Pictures that can be cleaned, and that no browser runs anything of. */
const PICTURES: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"]

/** Opens and seals for one recipient. Holds the secret keys; nothing it answers has them in it. */
export function createOpener(): Opener {
  let identities: readonly string[] = []
  const file = async (sealed: Blob, index: number): Promise<OpenedFile> => {
    const found = (await openMessage(await bytesOf(sealed), identities)).files[index]
    if (found === undefined) throw new EnvelopeFault("files")
    return found
  }
  return failingPlainly({
    isLocked: async (found) => isLocked(found),
    async unlock(found, passphrase) {
      identities = await readIdentities(found, passphrase ?? undefined)
      return await Promise.all(identities.map(recipientOf))
    },
    async newIdentity(passphrase) {
      const made = await newIdentityFile(passphrase, "x25519")
      return { file: new Uint8Array(made.file), recipient: made.recipient }
    },
    async openMessage(sealed) {
      const { files, ...opened } = await openMessage(await bytesOf(sealed), identities)
      return {
        ...opened,
        files: files.map(({ bytes, ...facts }) => ({
          ...facts,
          size: bytes.length,
          carries: inspect(bytes).findings,
        })),
      }
    },
    openNote: async (sealed) => unpackNote(await open(await bytesOf(sealed), identities)),
    // A copy: the bytes are a view of the whole message, which must not be sent along.
    attachment: async (sealed, index) => new Uint8Array((await file(sealed, index)).bytes),
    async picture(sealed, index) {
      const { bytes } = await file(sealed, index)
      const { type } = inspect(bytes)
      const cleaned = PICTURES.includes(type) ? strip(bytes) : null
      return cleaned === null || "fault" in cleaned
        ? null
        : { type, bytes: new Uint8Array(cleaned.bytes) }
    },
    async text(sealed, index) {
      const { bytes } = await file(sealed, index)
      return inspect(bytes).type === "text/plain" ? new TextDecoder().decode(bytes) : null
    },
    async replyFile({ bytes, keepMetadata }, text) {
      const made = fileToSend(bytes, keepMetadata)
      if (made === null) throw new OpenerFailure("unclean")
      // Packed once, with the longest number, to see that it fits.
      packReply({
        sealedBy: "browser",
        lang: "und",
        message: text,
        file: made,
        order: ORDER_MAX - 1,
      })
      return { ...made, bytes: new Uint8Array(made.bytes) }
    },
    sealReply: async (reply, address, recipients) =>
      new Uint8Array(await seal(packReply(reply), replyRecipients(address, recipients))),
    sealNote: async (note, recipients) => new Uint8Array(await seal(packNote(note), recipients)),
    async mark(sealed) {
      try {
        return await contentMark(await bytesOf(sealed))
      } catch (error) {
        if (error instanceof EnvelopeFault) return null
        throw error
      }
    },
    async sealSeen(seen) {
      const own = await recipientOf(identities[0] ?? "")
      return new Uint8Array(await seal(packSeen(seen), recipientsOf([own])))
    },
    openSeen: async (sealed) => unpackSeen(await open(sealed, identities)),
    reseal: async (sealed, recipients) =>
      await reseal(await bytesOf(sealed), identities, recipients),
  })
}

/** Calls fail with one of our own words: the message of a cause could quote what was opened. */
function failingPlainly(opener: Opener): Opener {
  const plain = Object.entries(opener).map(([name, call]) => [
    name,
    async (...args: readonly unknown[]): Promise<unknown> => {
      try {
        return await (call as (...args: readonly unknown[]) => Promise<unknown>)(...args)
      } catch (error) {
        if (error instanceof OpenerFailure) throw error
        const known = error instanceof EnvelopeFault || error instanceof IdentityFault
        throw new OpenerFailure(known ? error.code : "failed")
      }
    },
  ])
  return Object.fromEntries(plain) as Opener
}

async function bytesOf(blob: Blob): Promise<Uint8Array> {
  return new Uint8Array(await blob.arrayBuffer())
}
