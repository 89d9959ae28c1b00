import type { Mode, Suite } from "@assay/core/drop"
import type { FaultKey } from "./texts/texts.ts"

/** The languages of the pages; a language is a path, `/drop/fr`, and English is `/drop`. */
export const LOCALES = ["en", "fr", "es", "de", "ar"] as const
export type Locale = (typeof LOCALES)[number]

/**
 * What the pages are printed from: the configuration and the state of the drop, never anything
 * about a visitor.
 */
export interface DropFacts {
  /** Who receives the messages; empty if no name was set. */
  readonly name: string
  readonly retentionDays: number
  /** 16 bytes, hexadecimal. */
  readonly dropId: string
  readonly suite: Suite
  readonly keyCount: number
  /** Six English words over the recipients' keys. */
  readonly fingerprint: readonly string[]
  /**
   * Onion address of the drop, for visitors who came another way; null: none, or they came by it.
   */
  readonly onion: string | null
  /** The disk is filling up: only messages without files are taken. */
  readonly filesTaken: boolean
  /** The question to senders without JavaScript. */
  readonly question: string | null
  /** It shares a port with the API, which only a demo may. */
  readonly sharesPort: boolean
}

/** A file that a page loads, by the hash of its bytes. */
export interface PageFile {
  /** From the root of the site. */
  readonly path: string
  /** For the attribute of that name: `sha384-…`. */
  readonly integrity: string
}

/** The built files of the pages: `style`, `worker`, `sender-fr`, `words-fr`. */
export interface PageFiles {
  get(name: string): PageFile
}

/** What a sentence has to be filled with. */
export type TextValues = Readonly<Record<string, string | number>>

/** A sentence of the texts with its values, at a field or at the form as a whole. */
export interface FormFault {
  readonly field: "message" | "files" | "code" | "question" | "form"
  readonly text: FaultKey
  readonly values?: TextValues
}

/** What a form is filled with: nothing at first, and all that was sent when something was wrong. */
export interface FormState {
  readonly token: string
  /** Random hexadecimal of a random length, so that the size of an upload reveals less. */
  readonly filler: string
  readonly message: string
  readonly mode: Mode
  /** Numbers of the files to send unchanged. */
  readonly untouched: readonly number[]
  readonly keepNames: boolean
  /** Of the thread that is written to again; empty for a new one. */
  readonly code: string
  readonly faults: readonly FormFault[]
}

/**
 * A thread code for display: twelve words of the page's language, or of English if it has no list,
 * and twelve groups of digits.
 */
export interface ShownCode {
  readonly words: readonly string[]
  readonly numbers: readonly string[]
}

/** An opened reply: `text` with invisible characters made visible. */
export interface ShownReply {
  readonly text: string
  /** It carries a file beside its text. */
  readonly file: boolean
}
