import type { Suite } from "./recipients.ts"

/** Who sealed a message, by their own word: `server` could have read it while it did. */
export type SealedBy = "browser" | "server" | "sender"
export type Mode = "one-way" | "two-way"
export type MetadataState = "stripped" | "kept" | "unknown"

/** What a recipient needs to answer, and to delete an answer's last trace. Inside the sealed message only. */
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
  readonly name: string
  readonly type: string
  readonly metadata: MetadataState
  /** The sender's own name of it, only where the sender asked for it to be kept. */
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
}

export type { Suite }
