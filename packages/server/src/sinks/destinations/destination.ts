import { type Static, type TObject, Type } from "typebox"
import { FILE } from "../../settings/settings-file.ts"
import type { SunkEvent } from "../formats/finding.ts"

/** Where a sink sends. */
export interface Destination {
  /**
   * Resolves once the receiver has taken all of them; rejects where it may not have. Called again
   * only after that. Ends by itself within a time, whatever the receiver does.
   */
  send(events: readonly SunkEvent[]): Promise<void>
  close(): Promise<void>
}

/**
 * A kind of receiver. It is all that the rest of the service knows of it: checks of the settings
 * and the reference page follow from it.
 */
export interface SinkKind<Schema extends TObject = TObject> {
  /** What one sink of the kind takes, besides what all of them do. */
  readonly settings: Schema
  /** Throws `settingsFault` where files that the settings name cannot be used. */
  open(settings: Static<Schema>, from: Sender): Destination
}

/** Who sends. */
export interface Sender {
  /** The name of this machine, for formats that say it. */
  readonly host: string
  /** Of this process. */
  readonly pid: number
  /** Writes to standard output; resolves once it is written. */
  print(text: string): Promise<void>
}

/** A failure that has a code to show, without a word of what was sent. */
export class SinkError extends Error {
  override readonly name = "SinkError"
  /** Such as `timed-out` or `answered-503`. */
  readonly code: string
  /** How long the receiver asked to be left alone, in milliseconds. */
  readonly waitMs: number
  constructor(code: string, { waitMs = 0, ...options }: ErrorOptions & { waitMs?: number } = {}) {
    super(code, options)
    this.code = code
    this.waitMs = waitMs
  }
}

/** What receivers that are called by HTTPS or TLS have in common. */
export const trusting = {
  ca_file: Type.Optional(
    Type.String({
      ...FILE,
      description:
        "Certificates in PEM that the receiver's must be signed by. Without it: those that Node trusts.",
    }),
  ),
}
