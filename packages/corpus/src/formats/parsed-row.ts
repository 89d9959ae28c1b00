import type { IdentityType } from "@assay/core/identity"
import type { DataClass, EntryKind, SecretClass } from "@assay/stores/exposure-index"

/**
 * One row of a file as its parser understood it. A null member takes the value of the whole import.
 */
export interface ParsedRow {
  readonly identityType: IdentityType
  /** The e-mail address or phone number as written. */
  readonly identity: string
  /** The password or hash as written. It lives until the row is keyed and goes nowhere else. */
  readonly secret: string | null
  /** The class that the file gives for the secret, as feeds do; null: the secret's form decides. */
  readonly secretClass: SecretClass | null
  /**
   * The file calls the secret a hash, so one of no known form is `unknown` and never `plaintext`.
   */
  readonly secretIsHash: boolean
  readonly kind: EntryKind | null
  /** Hours since 1970. */
  readonly hours: number | null
  readonly item: string | null
  readonly confidence: number | null
  readonly classes: readonly DataClass[]
  readonly value: number | null
}

/**
 * Why a row was not imported. Words, never the row: they reach the reject file and the terminal.
 */
export const REJECT_REASONS = {
  blank: "the line is empty",
  "too-long": "the line is longer than 1 MiB",
  "no-delimiter": "the line has no delimiter of this format",
  "no-identity": "the row names no e-mail address or phone number",
  "not-an-email": "the address is not a valid e-mail address",
  "not-a-phone": "the number is not in E.164 form",
  "bad-row": "the row does not have the shape of its format",
  "bad-date": "the date cannot be read",
  "date-out-of-range": "the date is before 1990 or more than a day ahead",
  "unknown-kind": "the kind of evidence is not known",
  "bad-value": "a value is out of its range",
} as const
export type RejectReason = keyof typeof REJECT_REASONS

/** Takes what a parser finds. `line` counts from 1 within the block. */
export interface RowSink {
  row(line: number, row: ParsedRow): void
  reject(line: number, reason: RejectReason): void
  /**
   * Takes lines of an address, a delimiter of one byte and a password straight from the bytes of a
   * block, as if each had been parsed and handed to `row`, where they are so plain that the outcome
   * is certain to be the same. All other lines are handed to `others`, in their place: how many
   * plain lines came before them since the last call, and from where to where they are in the
   * block. Returns how many plain lines came after the last call.
   */
  plainLines?(
    block: Buffer,
    delimiter: number,
    others: (plain: number, from: number, to: number) => void,
  ): number
}

/**
 * Reads blocks of a member apart from each other, in any order and in any thread. A block ends
 * where a row ends.
 */
export interface BlockParser {
  /** Returns how many lines the block has, so that line numbers can be counted through a member. */
  parse(block: Buffer, sink: RowSink): number
}

const NO_CLASSES: readonly never[] = []

/** A row of a format that knows an identity and a secret and nothing more. */
export function credentialRow(
  identityType: IdentityType,
  identity: string,
  secret: string | null,
): ParsedRow {
  return {
    identityType,
    identity,
    secret,
    secretClass: null,
    secretIsHash: false,
    kind: null,
    hours: null,
    item: null,
    confidence: null,
    classes: NO_CLASSES,
    value: null,
  }
}
