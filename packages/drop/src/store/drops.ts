import { portOf } from "@assay/runtime/rpc"

/** 16 random bytes, lower-case hexadecimal. Reveals nothing about the time or the sender. */
export type RandomId = string

/** The facts about a sealed message that need no opening. There is no arrival time. */
export interface StoredMessage {
  readonly id: RandomId
  /** Bytes of the sealed file. */
  readonly size: number
  /** Day since 1970 on which it goes, chosen at random from eight. */
  readonly purgeDay: number
  /** How many times the sender doubled the proof of work on purpose; 0 for everybody else. */
  readonly effort: number
  /** No recipient has fetched it yet. */
  readonly unread: boolean
}

/**
 * A sealed file of the 64 KiB class that recipients keep for each other: labels and notes on
 * threads.
 */
export interface StoredNote {
  readonly id: RandomId
  readonly sealed: Uint8Array
}

export interface NewReply {
  /**
   * Chosen by the sender of the reply, so that sending it again changes nothing, even after it was
   * read and deleted.
   */
  readonly id: RandomId
  /** SHA-256 over the mailbox, 32 bytes. */
  readonly tag: Uint8Array
  /** SHA-256 over the delete token, 32 bytes. */
  readonly deleteVerifier: Uint8Array
  readonly sealed: Uint8Array
}

/** `full`: four replies wait; the oldest are kept until they are read. */
export type ReplyOutcome = "stored" | "known" | "full"

/** The content of the daily digest. */
export interface Digest {
  /** A message that nobody has fetched is waiting. */
  readonly fresh: boolean
  /** How many messages expired unread since the last digest that was sent. */
  readonly expiredUnread: number
}

/** How many messages may lie in the file in the order they came before it is written anew. */
export const REWRITE_AFTER = 50

/**
 * Sealed messages and reply mailboxes, in a file of their own on one host. Holds no time, no
 * address and nothing that joins two messages. A promise that resolves means: it is on the disk.
 * Faults are `DropsError`s.
 */
export interface Drops {
  /** 16 bytes, made with the file and never changed: codes of one drop mean nothing on another. */
  dropId(): Promise<Uint8Array>
  /** 32 bytes from which the drop's own signatures are made; they outlive a restart. */
  signingSecret(): Promise<Uint8Array>

  /**
   * Pieces of an upload, in order from 0. They count as nothing until `finishUpload`, and are gone
   * after a restart.
   */
  appendPiece(id: RandomId, index: number, piece: Uint8Array): Promise<void>
  /** Makes a message of the pieces; it goes `retentionDays` plus 0 to 7 days from `today`. */
  finishUpload(upload: {
    readonly id: RandomId
    readonly size: number
    /** SHA-256 over the withdraw token, 32 bytes; a random one where there is no token. */
    readonly withdrawVerifier: Uint8Array
    readonly effort: number
    readonly today: number
    readonly retentionDays: number
  }): Promise<void>
  abandonUpload(id: RandomId): Promise<void>

  /** Every message, in the order of ids. */
  messages(): Promise<StoredMessage[]>
  /** A piece of a message, or null past its end. */
  piece(id: RandomId, index: number): Promise<Uint8Array | null>
  /**
   * Replaces the pieces of a message by those of an upload: the same message, sealed to other keys.
   * Everything else about it stays. False if the message is gone; the upload then stays an upload.
   */
  reseal(id: RandomId, upload: RandomId, size: number): Promise<boolean>
  markRead(ids: readonly RandomId[]): Promise<void>
  deleteMessages(ids: readonly RandomId[]): Promise<void>
  /**
   * Deletes the messages with these verifiers. Does not reveal how many there were: it is one write
   * in any case.
   */
  withdraw(verifiers: readonly Uint8Array[]): Promise<void>

  /** At most four, in an order that does not show when they came. */
  replies(tag: Uint8Array): Promise<Uint8Array[]>
  postReply(
    reply: NewReply,
    days: { readonly today: number; readonly retentionDays: number },
  ): Promise<ReplyOutcome>
  /**
   * Deletes the replies of this mailbox that this verifier was given for; a wrong one changes
   * nothing and is written as much for.
   */
  deleteReplies(tag: Uint8Array, deleteVerifier: Uint8Array): Promise<void>

  /** The ids of all notes, in their order. */
  notes(): Promise<RandomId[]>
  note(id: RandomId): Promise<Uint8Array | null>
  /**
   * Replaces the notes named in `replaces`, all or nothing. One that was put before changes
   * nothing, even after it was deleted.
   */
  putNote(note: StoredNote, replaces: readonly RandomId[], purgeDay: number): Promise<void>
  deleteNotes(ids: readonly RandomId[]): Promise<void>

  /**
   * Writes to the file without changing anything that is read, so that the file's times reveal
   * nothing about messages.
   */
  stir(): Promise<void>

  /** Deletes what is due on this day. */
  purge(now: { readonly day: number }): Promise<void>
  /**
   * Writes the file anew in the order of its random ids, and overwrites and removes the old one.
   */
  rewrite(): Promise<void>
  /** Messages finished since the last rewrite. */
  unordered(): Promise<number>

  /**
   * The digest of this day (days since 1970), or null if it was sent. Its counts stay until it is
   * sent.
   */
  digest(day: number): Promise<Digest | null>
  /** The digest of this day reached its recipients, so its counts start over. */
  digestSent(day: number): Promise<void>

  close(): Promise<void>
}

/** The store's methods as called across its thread. */
export const dropsPort = portOf<Drops>("drops", {
  dropId: true,
  signingSecret: true,
  appendPiece: true,
  finishUpload: true,
  abandonUpload: true,
  messages: true,
  piece: true,
  reseal: true,
  markRead: true,
  deleteMessages: true,
  withdraw: true,
  replies: true,
  postReply: true,
  deleteReplies: true,
  notes: true,
  note: true,
  putNote: true,
  deleteNotes: true,
  stir: true,
  purge: true,
  rewrite: true,
  unordered: true,
  digest: true,
  digestSent: true,
  close: true,
})
