import type { Recipients } from "@assay/core/drop"
import type { Call, Methods } from "../../process/rpc.ts"
import type { DropFacts, Locale } from "../pages/page-input.ts"

/** `early`: it was just handed out; `wrong`: it is none of ours. */
export type TokenOutcome = "ok" | "early" | "expired" | "spent" | "wrong"

/** `later`: this hour is used up; `no-files`: only messages without files are taken; `full`: nothing is. */
export type Admission = "ok" | "later" | "no-files" | "full"

/** A message as it is stored: sealed, of an allowed size. */
export interface SealedUpload {
  readonly size: number
  /** SHA-256 over the withdraw token; a random one where nobody can withdraw it. */
  readonly withdrawVerifier: Uint8Array
}

/**
 * What a sealer may ask of the drop process, and all that it tells: no call carries a text, a name, a code or anything a code
 * can be found from, since the drop process must never hold one.
 */
export interface SealerDesk {
  facts(locale: Locale): Promise<DropFacts>
  recipients(): Promise<Recipients>
  /** The headers of every answer. */
  headers(): Promise<Readonly<Record<string, string>>>

  newFormToken(): Promise<string>
  spendFormToken(token: string): Promise<TokenOutcome>
  /** Whether this answers the question that is asked; anything does where none is. */
  isAnswer(answer: string): Promise<boolean>
  admit(what: "text" | "files", bytes: number): Promise<Admission>

  /** Pieces of the one upload a sealer makes, in order from 0. */
  storePiece(index: number, piece: Uint8Array): Promise<void>
  /** Resolves when the message is on the disk. */
  finish(upload: SealedUpload): Promise<void>
  /** Forgets the pieces. */
  abandon(): Promise<void>

  replies(tag: Uint8Array): Promise<Uint8Array[]>
  deleteReplies(tag: Uint8Array, deleteVerifier: Uint8Array): Promise<void>
  withdraw(verifiers: readonly Uint8Array[]): Promise<void>
}

/** The desk as a sealer reaches it. */
export function distantDesk(call: Call): SealerDesk {
  const ask =
    <Name extends keyof SealerDesk>(method: Name) =>
    (...args: Parameters<SealerDesk[Name]>): ReturnType<SealerDesk[Name]> =>
      call(method, ...args) as ReturnType<SealerDesk[Name]>
  return {
    facts: ask("facts"),
    recipients: ask("recipients"),
    headers: ask("headers"),
    newFormToken: ask("newFormToken"),
    spendFormToken: ask("spendFormToken"),
    isAnswer: ask("isAnswer"),
    admit: ask("admit"),
    storePiece: ask("storePiece"),
    finish: ask("finish"),
    abandon: ask("abandon"),
    replies: ask("replies"),
    deleteReplies: ask("deleteReplies"),
    withdraw: ask("withdraw"),
  }
}

/** The desk as it is offered to one sealer. */
export function deskMethods(desk: SealerDesk): Methods {
  return { ...desk }
}
