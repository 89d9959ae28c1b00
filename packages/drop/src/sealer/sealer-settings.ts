import type { PageFile } from "../pages/page-input.ts"
import type { Deadlines } from "./deadlines.ts"

/**
 * The settings that a sealer gets over its channel when it starts: its command line and environment
 * carry none.
 */
export interface SealerSettings {
  /** The files that pages name, by name: a sealer itself opens none. */
  readonly pageFiles: Readonly<Record<string, PageFile>>
  readonly deadlines: Deadlines
  /** How often it reports its progress. */
  readonly reportMs: number
}

/** The message that comes with a connection. */
export const CONNECTION = "connection"
/**
 * The message that ends a slow sender while others wait, if the sealer is still in the phase that
 * the pool assumes.
 */
export interface GiveWay {
  readonly giveWay: "receiving" | "answering"
}
