import type { Recipients } from "@assay/core/drop"
import type { RandomId } from "./store/drops.ts"
import type { DropFacts } from "./pages/page-input.ts"

/**
 * `early`: filled in faster than a person writes; `expired`: older than a day; `wrong`: not from
 * here.
 */
export type FormTokenState = "ok" | "early" | "expired" | "wrong"
export type FormTokenOutcome = FormTokenState | "spent"

/**
 * `text` has no files. Each kind has a budget of its own, so that one that is used up does not
 * touch the other.
 */
export type MessageKind = "text" | "files"
/**
 * `busy`: as many messages of the kind have come as may in an hour, or as one network may send;
 * `full`: there is no room for it, on the disk or today.
 */
export type Refusal = "busy" | "full"

/**
 * All that the public side of the drop can do: the routes for scripts call it, and sealers do over
 * their channel. It never sees a message, a file name or a code.
 */
export interface DropDesk {
  /** What pages print. No message can be taken while `keyCount` is 0. */
  facts(visit: { readonly byOnion: boolean }): Promise<DropFacts>
  /** The headers of every answer. */
  headers(visit: { readonly byOnion: boolean }): Promise<Readonly<Record<string, string>>>
  /** The keys messages are sealed to; null while there are none. */
  recipients(): Promise<Recipients | null>

  newFormToken(): Promise<string>
  /** Spends nothing: a form that comes back with a fault keeps its token. */
  formTokenState(token: string): Promise<FormTokenState>
  /** `ok` once per token. */
  spendFormToken(token: string): Promise<FormTokenOutcome>
  /** True where nothing is asked. */
  isRightAnswer(answer: string): Promise<boolean>
  /**
   * Counts a message that was sent without JavaScript, of so many sealed bytes, from this address,
   * or says why it is not taken. The address is used for its network's share and kept nowhere.
   */
  admit(kind: MessageKind, bytes: number, address: string | undefined): Promise<Refusal | null>

  storePiece(id: RandomId, index: number, piece: Uint8Array): Promise<void>
  /**
   * Resolves when the message is on the disk. `withdrawVerifier`: a random one where there is no
   * token.
   */
  finish(upload: {
    readonly id: RandomId
    readonly size: number
    readonly withdrawVerifier: Uint8Array
    /** 0 for everybody who did no work on purpose. */
    readonly effort: number
  }): Promise<void>
  abandon(id: RandomId): Promise<void>

  /** The sealed replies that wait, at most four. */
  replies(tag: Uint8Array): Promise<Uint8Array[]>
  deleteReplies(tag: Uint8Array, deleteVerifier: Uint8Array): Promise<void>
  withdraw(verifiers: readonly Uint8Array[]): Promise<void>
}
