import type { ComparedLine, PolicyDocument } from "@assay/client"
import type { Said } from "../ui/said.ts"

/** What a page asks for. There is one of a kind at a time. */
export type Order =
  | { readonly kind: "batch"; readonly file: File }
  | { readonly kind: "back-test"; readonly policy: PolicyDocument; readonly days: number }
  | { readonly kind: "shadow" }

export type Kind = Order["kind"]

interface Common {
  readonly id: string
  readonly state: "running" | "done" | "stopped" | "failed"
  readonly begunAtMs: number
  readonly endedAtMs: number | null
  /** Whether a person has seen how it ended. */
  readonly isSeen: boolean
  /** Why it failed. */
  readonly failure: Said | null
}

/** A file that is scored. Its lines are asked for apart: they hold identities. */
export interface Batch extends Common {
  readonly kind: "batch"
  readonly name: string
  readonly done: number
  /** Of those that are done, how many have no score. */
  readonly failed: number
  /** null: the file is still being counted. */
  readonly total: number | null
}

export interface BackTest extends Common {
  readonly kind: "back-test"
  readonly policy: PolicyDocument
  readonly days: number
  readonly comparison: Comparison
}

export interface ShadowReport extends Common {
  readonly kind: "shadow"
  readonly comparison: Comparison
}

export type Work = Batch | BackTest | ShadowReport

type Changed = Extract<ComparedLine, { type: "changed" }>

/** What came of a comparison so far. */
export interface Comparison {
  readonly looked: number
  /** How far back it is. */
  readonly reached: string | null
  /** The newest of the decisions that change; the counts are of all. */
  readonly changed: readonly Changed[]
  readonly summary: Extract<ComparedLine, { type: "summary" }> | null
}

/** Work that was begun, and that nobody has any more: the browser ended the thread that did it. */
export interface Lost {
  readonly id: string
  readonly kind: Kind
  readonly state: "lost"
  readonly begunAtMs: number
  /** Whether it still ran when it was last seen. */
  readonly wasRunning: boolean
}
