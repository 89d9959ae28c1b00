import type { Socket } from "node:net"
import type { SpokenCommand } from "@assay/runtime/children"
import type { Decisions } from "@assay/stores/decisions"
import type { ExposureIndex } from "@assay/stores/exposure-index"
import type { Records } from "@assay/stores/records"
import type { ClaimedDelivery, LoggedAttempt } from "@assay/stores/records-deliveries"
import type { Secrets } from "@assay/runtime/secrets"
import type { SignUpMode, SinkState, SinkTestResult } from "@assay/core/contract"
import type { SendMail } from "../base/mail.ts"
import type { WriterPort } from "../base/writer-port.ts"
import type { App } from "./app.ts"

/**
 * One thing that the service does, whole: its folder holds a `feature.ts` that says so, and a line
 * in `run/features.ts` makes it part of the service.
 */
export interface Feature<Needs, P = undefined> {
  /** Adds its operations and pages, in every worker. `writer` is the writer behind `port`. */
  routes(app: App, services: Needs, writer: P): void | Promise<void>
  /** How its routes reach the writer they call, this feature's own or another's. */
  readonly port?: WriterPort<P>
  /** Opens the writer of `port`, in the primary: nothing else writes. */
  writer?(primary: Primary): Promise<P & Settling>
  /**
   * Applies what it keeps in the records to an index that was made anew; returns the number of
   * identities.
   */
  replay?(records: Records, index: ExposureIndex, nowMs: number): Promise<number>
}

/** Work that one node at a time does, of all that share the records. */
export interface NodeTurns {
  /** No other node can share the records. */
  readonly alone: boolean
  /** Does work if this node has its turn at it, or takes it now. false: another node has it. */
  take(name: string, work: (turn: Turn) => Promise<void>): Promise<boolean>
}

export interface Turn {
  /** By these nothing is written any more once another node has the turn. */
  readonly records: Records
  /** Another one each time that this node takes the turn: what was known before may be old. */
  readonly fence: number
}

/** Work a writer may leave for later. */
export interface Settling {
  /** Every node does it for itself; without it, one does it for all. */
  readonly everywhere?: boolean
  /** Applies what is due: what an earlier process or a failing index left undone. */
  settleDue?(): Promise<void>
  /** Deletes what ended long ago, where anything ends. */
  forget?(): Promise<void>
  /** Resolves when nothing is under way any more. */
  idle?(): Promise<void>
}

/** What the primary has for writers. */
export interface Primary {
  readonly records: Records
  readonly index: ExposureIndex
  readonly decisions: Pick<Decisions, "ofIdentity" | "eraseIdentity">
  /** Brings every decision written so far into the store, by the workers of every node. */
  readonly fold: () => Promise<void>
  /** Deletes journals that are damaged: nobody can be looked for in them. */
  readonly deleteSetAside: () => void
  /** The list of erased identities outside of the data directory. */
  readonly tombstones: {
    add(tombstone: { readonly identityKey: Uint8Array; readonly erasedAt: number }): Promise<void>
  }
  /**
   * Drops what providers said of a phone number, by its key in hexadecimal, because something newer
   * is known, on all nodes. Rejects where others cannot be told now; they are as soon as they can.
   */
  readonly forgetSignals: (key: string) => Promise<void>
  readonly secrets: Pick<Secrets, "subkeys">
  readonly sessions: SessionTimes
  readonly signUp: {
    readonly mode: SignUpMode
    /** null where no mail is set up. */
    readonly sendMail: SendMail | null
  }
  /** How imports over HTTP are run. */
  readonly importRunner: ImportRunner
  readonly lists: {
    /** The directory of the operator's lists. */
    readonly directory: string
    /** Has every worker take changed lists over. Throws `lists` where one cannot be used. */
    reload(): Promise<unknown>
    /** How often they did, since the start. */
    readonly reloads: () => number
  }
  /** The directories of models and of segments. */
  readonly directories: { readonly models: string; readonly segments: string }
  /** Calls webhooks, in a thread of its own. */
  readonly deliveries: Deliveries
  /** Sends events to security tools, in a thread of its own. */
  readonly sinks: Sinks
  /** Where receivers of Shared Signals reach the service; null: there are none. */
  readonly ssfOrigin: string | null
  readonly now: () => number
  readonly turns: NodeTurns
  /** How many days a decision may wait for an analyst; 0: none waits. */
  readonly reviewDays: number
  /** The writer of a feature that stands before this one in the list of all. */
  readonly writerOf: <P>(port: WriterPort<P>) => P
}

/** What calls addresses that tenants chose. */
export interface Deliveries {
  /** Has it look for what is due, from now on. */
  begin(): Promise<void>
  /** Why nothing may be sent to a URL; null: it may be. */
  refusalOf(url: string): Promise<string | null>
  /**
   * Looks for the proof that a domain is a tenant's; null: there is none, or it was not reached.
   */
  proofOf(wanted: {
    readonly domain: string
    readonly token: string
  }): Promise<"dns" | "file" | null>
  /** Sends once, notes it and says what came of it. */
  shoot(shot: {
    readonly delivery: ClaimedDelivery
    readonly url: string
    readonly cause: "replay" | "test"
  }): Promise<LoggedAttempt>
}

/** What sends every event to the tools that the operator named. */
export interface Sinks {
  states(): Promise<readonly SinkState[]>
  /** Sends one event that nobody else gets. null: there is no sink of this name. */
  test(name: string): Promise<SinkTestResult | null>
}

export interface ImportRunner {
  /** The name of this node for those that share the records; null: nobody does. */
  readonly nodeId: string | null
  /** Where uploads are handed over; made and removed by whoever runs imports. */
  readonly socketPath: string
  /** The file with what became of the last imports. */
  readonly statesPath: string
  /** Whether a process imports into the data directory, the command's included. */
  isImporting(): boolean
  /** The same of all nodes that share the records. */
  isImportingAnywhere(): Promise<boolean>
  /** Starts a process that imports; an upload is its standard input. */
  start(stdin: Socket | null): SpokenCommand
  readonly now: () => number
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number
}

/** How long people stay signed in: unused, and at most. */
export interface SessionTimes {
  readonly idleMs: number
  readonly lifeMs: number
}
