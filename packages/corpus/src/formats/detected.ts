import type { Encoding } from "./encoding.ts"
import type { Field, Format } from "./format.ts"

/** What the person at the terminal says of a file, where looking at it is not enough. */
export interface FormatHints {
  /** `--format`: the name of a format. */
  readonly format?: Format["name"]
  /** `--map`: by field, the column's name or its number from 1. */
  readonly map: Readonly<Partial<Record<Field, string>>>
}

export interface Detected {
  readonly format: Format
  readonly encoding: Encoding
}

/** How many bytes of a member are looked at. */
export const HEAD_BYTES_MAX = 65_536
