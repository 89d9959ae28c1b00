import type { Said } from "../ui/said.ts"
import type { Keeper } from "./keeper.ts"

/**
 * Raised whenever messages change. A page may meet the service worker of the version before it,
 * until the browser replaces that.
 */
export const PROTOCOL = 1

/** Tells the pages of the console, in every tab, that there is something to ask for. */
export const CHANNEL = "assay-work"

export type CallName = Exclude<keyof Keeper, "close"> | "forget"

/** What a page asks of whoever keeps the work. */
export interface CallMessage {
  readonly protocol: number
  /** The token of the page's session; nobody else's work is touched by it. */
  readonly owner: string
  readonly name: CallName
  readonly args: readonly unknown[]
}

export type AnswerMessage =
  | { readonly result: unknown }
  /** The session of the page is over. */
  | { readonly signedOut: true }
  | { readonly failure: Said }
  /** The page speaks another protocol; what was kept here is forgotten. */
  | { readonly outdated: true }
