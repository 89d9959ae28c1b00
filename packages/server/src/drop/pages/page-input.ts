import type { Mode, Suite } from "@assay/core/drop"

/** The languages of the pages; a language is a path, `/drop/fr`, and English is `/drop`. */
export const LOCALES = ["en", "fr", "es", "de", "ar"] as const
export type Locale = (typeof LOCALES)[number]

/** What the pages are printed from: the configuration and the state of the drop, never anything about a visitor. */
export interface DropFacts {
  /** Who receives what is sent; empty where nobody gave a name. */
  readonly name: string
  readonly retentionDays: number
  /** 16 bytes, hexadecimal. */
  readonly dropId: string
  readonly suite: Suite
  readonly keyCount: number
  /** Six English words over the recipients' keys. */
  readonly fingerprint: readonly string[]
  /** Onion address of the drop, for visitors who came another way; null: none, or they came by it. */
  readonly onion: string | null
  /** The disk is filling up: only messages without files are taken. */
  readonly filesTaken: boolean
  /** Asked of senders without JavaScript. */
  readonly question: string | null
  /** It shares a port with the API, which only a demo may. */
  readonly sharesPort: boolean
}

/** A sentence of the texts with what stands in it, at a field or at the form as a whole. */
export interface FormFault {
  readonly field: "message" | "files" | "code" | "question" | "form"
  readonly text: string
  readonly values?: Readonly<Record<string, string | number>>
}

/** What a form is filled with: nothing at first, and all that was sent when something was wrong. */
export interface FormState {
  readonly token: string
  /** Random hexadecimal of a random length, so that the size of an upload says less. */
  readonly filler: string
  readonly message: string
  readonly mode: Mode
  readonly keepMetadata: boolean
  readonly keepNames: boolean
  /** Of the thread that is written to again; empty for a new one. */
  readonly code: string
  readonly faults: readonly FormFault[]
}
