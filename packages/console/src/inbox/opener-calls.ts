import type {
  EnvelopeFaultCode,
  FileToPack,
  IdentityFault,
  Manifest,
  ManifestFile,
  Note,
  Recipients,
  ReplyToPack,
  Resealed,
  Seen,
  ThreadAddress,
} from "@assay/core/drop"
import type { MetadataFinding } from "@assay/core/drop/metadata"

/** A file of a message, without its bytes: those stay sealed until somebody asks for them. */
export interface FileFacts extends ManifestFile {
  readonly size: number
  /** What it still carries, found in its own bytes; the sender's word is not trusted. */
  readonly carries: readonly MetadataFinding[]
}

/** What is shown of a message. */
export interface OpenedText {
  readonly manifest: Manifest
  readonly message: string
  readonly files: readonly FileFacts[]
  /** Its sender sealed it, and the server put an envelope around it, unopened. */
  readonly wrapped: boolean
}

/** A file that a recipient chose to reply with. */
export interface ReplyFile {
  readonly bytes: Uint8Array
  readonly keepMetadata: boolean
}

/** What was found in a picture's own bytes, cleaned again here. */
export interface CleanPicture {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** What the page asks of its worker. Secret keys go in once and never come out. */
export interface OpenerCalls {
  isLocked(file: Uint8Array): boolean
  /** Returns the public keys of an identity file; the worker then holds the secret ones. */
  unlock(file: Uint8Array, passphrase: string | null): string[]
  newIdentity(passphrase: string): { file: Uint8Array<ArrayBuffer>; recipient: string }
  openMessage(sealed: Blob): OpenedText
  openNote(sealed: Blob): Note
  attachment(sealed: Blob, index: number): Uint8Array<ArrayBuffer>
  /** A file that is text, as text; null: it is none. */
  text(sealed: Blob, index: number): string | null
  /** Null: no picture of the four kinds that can be cleaned. */
  picture(sealed: Blob, index: number): CleanPicture | null
  /** A file to reply with, cleaned; fails where it does not fit beside the text. */
  replyFile(file: ReplyFile, text: string): FileToPack
  sealReply(
    reply: ReplyToPack,
    address: ThreadAddress,
    recipients: Recipients,
  ): Uint8Array<ArrayBuffer>
  sealNote(note: Note, recipients: Recipients): Uint8Array<ArrayBuffer>
  /** Stands for the content of a sealed file; null for a file that is not sealed. */
  mark(sealed: Blob): string | null
  /** What was seen, sealed to the recipient's own key. */
  sealSeen(seen: Seen): Uint8Array<ArrayBuffer>
  openSeen(sealed: Uint8Array): Seen
  /** The same content, sealed to these keys. */
  reseal(sealed: Blob, recipients: Recipients): Resealed
}
export type CallName = keyof OpenerCalls

/** Why a call failed: one of our own words, never the message of the cause. */
export type OpenerFault = EnvelopeFaultCode | IdentityFault["code"] | "unclean" | "failed"

export interface CallMessage {
  readonly id: number
  readonly name: CallName
  readonly args: readonly unknown[]
}

export type AnswerMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly fault: OpenerFault }

/** The calls, as seen from the page. */
export type Opener = {
  [N in CallName]: (...args: Parameters<OpenerCalls[N]>) => Promise<ReturnType<OpenerCalls[N]>>
}

export class OpenerFailure extends Error {
  override readonly name = "OpenerFailure"
  readonly fault: OpenerFault
  constructor(fault: OpenerFault) {
    super(`The worker could not do it: ${fault}`)
    this.fault = fault
  }
}
