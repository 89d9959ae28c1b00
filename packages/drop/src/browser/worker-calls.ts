import type { CodeFault, Mode, SealedBy, Suite, WordList } from "@assay/core/drop"
import type { MetadataReport } from "@assay/core/drop/metadata"
import type { Challenge, Payload } from "altcha-lib/types"

/** The keys that messages are sealed to, and the values derived from them. */
export interface DropKeys {
  readonly dropId: Uint8Array
  readonly suite: Suite
  readonly keys: readonly string[]
  /** Six words of the list that was handed in. */
  readonly fingerprint: readonly string[]
}

/** The thread a message belongs to. */
export interface Thread {
  readonly secret: Uint8Array
  /** The number of the message in this visit; null: it cannot be withdrawn. */
  readonly n: number | null
}

export interface LetterFile {
  readonly file: Blob
  /** Sent unchanged, with all its metadata. */
  readonly untouched: boolean
  /** The file's name on the sender's machine, if the sender asked to keep it. */
  readonly keptName: string | null
}

/** What a person sends, before it is sealed. */
export interface Letter {
  /** `sender` if it is made without a network. */
  readonly sealedBy: Extract<SealedBy, "browser" | "sender">
  readonly message: string
  readonly mode: Mode
  readonly lang: string
  readonly files: readonly LetterFile[]
  /** Null in one-way mode. */
  readonly thread: Thread | null
}

export interface SealedLetter {
  readonly sealed: Uint8Array<ArrayBuffer>
  /**
   * Hexadecimal. Stored beside the message; a person who presents the value it was made from can
   * delete the message.
   */
  readonly withdrawVerifier: string
}

/** A code in both its forms. */
export interface Code {
  readonly words: readonly string[]
  readonly numbers: readonly string[]
}

export interface Reply {
  readonly message: string
  readonly file: { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> } | null
}

/** What a code is worth to the server. */
export interface ThreadRequests {
  readonly mailbox: Uint8Array<ArrayBuffer>
  readonly deletion: Uint8Array<ArrayBuffer>
  readonly withdrawal: Uint8Array<ArrayBuffer>
}

/**
 * The calls from the page to its worker. Everything that touches keys, codes and sealed content
 * happens there, away from the page, which stays usable meanwhile.
 */
export interface WorkerCalls {
  keys(text: string, list: WordList): DropKeys
  inspect(file: Blob): MetadataReport
  /** Works until a challenge is solved; null if the time ran out. */
  solve(challenge: Challenge): Payload | null
  newSecret(): Uint8Array
  seal(letter: Letter, keys: DropKeys): SealedLetter
  code(secret: Uint8Array, list: WordList): Code
  readCode(text: string, list: WordList): { readonly secret: Uint8Array } | CodeFault
  requests(secret: Uint8Array, keys: DropKeys): ThreadRequests
  /**
   * The replies in the slots of a mailbox, null for a damaged one; the other slots are filling that
   * nobody can open.
   */
  openReplies(secret: Uint8Array, keys: DropKeys, slots: Uint8Array): (Reply | null)[]
}
export type CallName = keyof WorkerCalls

export interface CallMessage {
  readonly id: number
  readonly name: CallName
  readonly args: readonly unknown[]
}

/**
 * `share`: how much is done, 0 to 1. A fault does not name its cause, which could quote what was
 * sealed.
 */
export type AnswerMessage =
  | { readonly id: number; readonly share: number }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly fault: true }

/**
 * A worker that is silent for this long is taken for dead: a browser may end one without notice.
 * Slow machines report now and then.
 */
export const SILENCE_MS = 180_000
