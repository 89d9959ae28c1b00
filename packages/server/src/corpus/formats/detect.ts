import { detectTabular } from "./detect-tabular.ts"
import type { Field, Format } from "./format.ts"

/** What the person at the terminal says of a file, where looking at it is not enough. */
export interface FormatHints {
  /** `--format`: the name of a format. */
  readonly format?: Format["name"]
  /** `--map`: by field, the column's name or its number from 1. */
  readonly map: Readonly<Partial<Record<Field, string>>>
}

export type Encoding = "utf-8" | "utf-16le" | "utf-16be"

export interface Detected {
  readonly format: Format
  readonly encoding: Encoding
}

/** How many bytes of a member are looked at. */
export const HEAD_BYTES_MAX = 65_536

/** What a member is, by its name and first bytes; null where it is nothing that can be imported. */
export function detectFormat(name: string, head: Buffer, hints: FormatHints): Detected | null {
  const tabular = detectTabular(name, head, hints)
  if (tabular !== null) return { format: tabular, encoding: "utf-8" }
  return { format: { name: "combolist", delimiter: ":" }, encoding: "utf-8" }
}
