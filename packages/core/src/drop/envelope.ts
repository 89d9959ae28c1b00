import { bytesToHex } from "@noble/hashes/utils.js"
import { EnvelopeFault } from "./envelope-fault.ts"
import { attachmentName, keptName } from "./file-names.ts"
import { FILE_MAX, FILES_MAX, MESSAGE_MAX } from "./limits.ts"
import {
  type Manifest,
  type ManifestFile,
  type MetadataState,
  type Mode,
  readManifest,
  type SealedBy,
  type ThreadAddress,
  writeManifest,
} from "./manifest.ts"
import { classOf, SIZE_CLASSES, SMALLEST_CLASS } from "./padding.ts"
import { open, type Progress } from "./seal.ts"
import { readTar, type TarMember, tarSize, writeTar } from "./tar.ts"

/** A file to send: type and extension come from its own bytes. */
export interface FileToPack {
  readonly bytes: Uint8Array
  readonly type: string
  readonly extension: string
  readonly metadata: MetadataState
  /** As in the manifest. */
  readonly found?: readonly string[]
  /** Only where the sender asked for it to be kept. */
  readonly originalName?: string
}

export interface MessageToPack {
  readonly sealedBy: SealedBy
  readonly mode: Mode
  readonly lang: string
  /** Of a two-way message. */
  readonly thread?: ThreadAddress
  readonly message: string
  readonly files: readonly FileToPack[]
}

/** What recipients send back. */
export interface ReplyToPack {
  readonly sealedBy: SealedBy
  readonly lang: string
  readonly message: string
  readonly file?: FileToPack
  /** Which reply of its thread, 0 for the acknowledgement: replies are stored without an order. */
  readonly order?: number
}

export interface OpenedFile extends ManifestFile {
  readonly bytes: Uint8Array
}

/** A received message after every check. Everything in it is the word of a stranger. */
export interface OpenedMessage {
  readonly manifest: Manifest
  /** Bytes that are no UTF-8 come out as U+FFFD. */
  readonly message: string
  readonly files: readonly OpenedFile[]
}

const MANIFEST = "manifest.json"
const MESSAGE = "message.txt"
const MEMBER = /^(manifest\.json|message\.txt|attachment-[1-3](\.[a-z0-9]{1,8})?)$/
const ENVELOPE_MAX = SIZE_CLASSES.at(-1) ?? 0

/** The envelope of a message, filled up to its class. */
export function packMessage(message: MessageToPack): Uint8Array {
  if ((message.mode === "two-way") !== (message.thread !== undefined)) {
    throw new EnvelopeFault("manifest")
  }
  const members = membersOf(message)
  const size = classOf(tarSize(members))
  if (size === null) throw new EnvelopeFault("size")
  return writeTar(members, size)
}

/** The envelope of a reply. Every reply has the same size: one that does not fit is refused. */
export function packReply({ file, order, ...reply }: ReplyToPack): Uint8Array {
  const files = file === undefined ? [] : [file]
  return writeTar(membersOf({ ...reply, mode: "two-way", files }, order), SMALLEST_CLASS)
}

function membersOf(content: MessageToPack, order?: number): TarMember[] {
  const { sealedBy, mode, lang, thread, message, files } = content
  const text = new TextEncoder().encode(message)
  if (text.length === 0 && files.length === 0) throw new EnvelopeFault("empty")
  if (files.some(({ bytes }) => bytes.length === 0)) throw new EnvelopeFault("empty")
  if (text.length > MESSAGE_MAX || files.length > FILES_MAX) throw new EnvelopeFault("size")
  if (files.some(({ bytes }) => bytes.length > FILE_MAX)) throw new EnvelopeFault("size")
  const manifest: Manifest = {
    v: 1,
    nid: bytesToHex(crypto.getRandomValues(new Uint8Array(16))),
    sealed_by: sealedBy,
    mode,
    lang,
    ...(thread === undefined ? {} : { thread }),
    files: files.map(({ type, extension, metadata, found, originalName }, index) => ({
      name: attachmentName(index + 1, extension),
      type,
      metadata,
      ...(found === undefined ? {} : { found }),
      ...(originalName === undefined ? {} : { original_name: keptName(originalName) }),
    })),
    ...(order === undefined ? {} : { order }),
  }
  // Read back at once: what a recipient would refuse must fail while the sender is still there.
  const written = writeManifest(manifest)
  readManifest(written)
  return [
    { name: MANIFEST, bytes: written },
    { name: MESSAGE, bytes: text },
    ...files.map(({ bytes, extension }, index) => ({
      name: attachmentName(index + 1, extension),
      bytes,
    })),
  ]
}

/**
 * What an envelope holds, of a message or of a reply. Throws an `EnvelopeFault` for anything that
 * does not follow the format to the letter, since a stranger may have made it by hand.
 */
export function unpackMessage(envelope: Uint8Array): OpenedMessage {
  if (envelope.length > ENVELOPE_MAX) throw new EnvelopeFault("size")
  const [first, second, ...attached] = readTar(envelope, {
    allowed: MEMBER,
    membersMax: 2 + FILES_MAX,
    bytesMax: FILE_MAX,
  })
  if (first?.name !== MANIFEST || second?.name !== MESSAGE) throw new EnvelopeFault("archive")
  if (second.bytes.length > MESSAGE_MAX) throw new EnvelopeFault("size")
  const manifest = readManifest(first.bytes)
  if (attached.length !== manifest.files.length) throw new EnvelopeFault("files")
  return {
    manifest,
    // A byte order mark is kept: it belongs to the message.
    message: new TextDecoder("utf-8", { ignoreBOM: true }).decode(second.bytes),
    files: manifest.files.map((file, index) => {
      const member = attached[index]
      if (member?.name !== file.name) throw new EnvelopeFault("files")
      return { ...file, bytes: member.bytes }
    }),
  }
}

const WRAPPED = "attachment-1.age"

/**
 * Opens and unpacks a sealed message. A file that its sender sealed in another form is stored in an
 * envelope around it. If that file holds a message, this returns the message, as `wrapped`;
 * otherwise it returns the envelope with the file in it.
 */
export async function openMessage(
  sealed: Uint8Array,
  identities: readonly string[],
  onProgress?: Progress,
): Promise<OpenedMessage & { readonly wrapped: boolean }> {
  const outer = unpackMessage(await open(sealed, identities, onProgress))
  const [file, ...others] = outer.files
  const isWrapper = file?.name === WRAPPED && others.length === 0 && outer.message === ""
  if (!isWrapper || outer.manifest.sealed_by !== "server") return { ...outer, wrapped: false }
  try {
    return { ...unpackMessage(await open(file.bytes, identities)), wrapped: true }
  } catch (error) {
    if (error instanceof EnvelopeFault) return { ...outer, wrapped: false }
    throw error
  }
}
