import { KEY_BYTES } from "../exposure-index.ts"
import { Buckets } from "./buckets.ts"
import type { CheckedDatabase } from "./checked-database.ts"
import type { Environment } from "./environment.ts"

/** Stands in the meta database while another generation is being made of this one. */
const COPYING = Buffer.from("copying")
/** What a note of a changed key begins with; the initial of its database and the key follow. */
const NOTE = Buffer.from("changed/")
const AFTER_NOTES = Buffer.from("changed0")
const INITIALS = { shared: 0x73, tenants: 0x74 } as const

export interface ChangedKey {
  readonly database: "shared" | "tenants"
  readonly key: Uint8Array
}

/**
 * The writes of one transaction. While a copy is made, each leaves a note, so that the copy ends up
 * with it too.
 */
export class Changes {
  readonly #environment: Environment
  readonly #noting: boolean

  constructor(environment: Environment) {
    this.#environment = environment
    this.#noting = isNoting(environment.meta)
  }

  /** `append` promises that the key is higher than every key in the database. */
  put(
    database: CheckedDatabase | Buckets,
    key: Uint8Array,
    value: Uint8Array,
    append = false,
  ): void {
    if (database instanceof Buckets) database.put(key, value)
    else database.put(key, value, append)
    this.#note(database, key)
  }

  remove(database: CheckedDatabase | Buckets, key: Uint8Array): void {
    database.remove(key)
    this.#note(database, key)
  }

  /** Whether changes are noted. */
  get noting(): boolean {
    return this.#noting
  }

  /** For a shared set that was written with its whole bucket; its key is one of many. */
  noted(keys: Uint8Array, at: number): void {
    if (!this.#noting) return
    this.#note(this.#environment.shared, keys.subarray(at, at + KEY_BYTES))
  }

  #note(database: CheckedDatabase | Buckets, key: Uint8Array): void {
    if (!this.#noting) return
    const { meta, shared } = this.#environment
    const initial = database === shared ? INITIALS.shared : INITIALS.tenants
    meta.put(Buffer.concat([NOTE, Uint8Array.of(initial), key]), Uint8Array.of(0))
  }
}

/** Inside a write transaction: from its commit on every change leaves a note. */
export function beginNotes(meta: CheckedDatabase): void {
  takeNotes(meta)
  meta.put(COPYING, Uint8Array.of(0))
}

/** Inside a write transaction: no more notes, and those there are forgotten. */
export function endNotes(meta: CheckedDatabase): void {
  takeNotes(meta)
  meta.remove(COPYING)
}

export function isNoting(meta: CheckedDatabase): boolean {
  return meta.copied(COPYING) !== undefined
}

/** Inside a write transaction: removes the notes and returns their keys. */
export function takeNotes(meta: CheckedDatabase): ChangedKey[] {
  const notes = meta.keys({ start: NOTE, end: AFTER_NOTES }).map((key) => Buffer.from(key))
  for (const note of notes) meta.remove(note)
  return notes.map((note) => ({
    database: note[NOTE.length] === INITIALS.shared ? "shared" : "tenants",
    key: note.subarray(NOTE.length + 1),
  }))
}

/** Whether a key of the meta database is about the making of a copy, and so is not part of one. */
export function isOfCopying(key: Uint8Array): boolean {
  const bytes = Buffer.from(key)
  return bytes.equals(COPYING) || bytes.subarray(0, NOTE.length).equals(NOTE)
}
