import type { FormatHints } from "./detect.ts"
import type { Format } from "./format.ts"

/** CSV, JSON, lines of JSON or Parquet, with what their columns mean; null for anything else. */
export function detectTabular(_name: string, _head: Buffer, _hints: FormatHints): Format | null {
  return null
}
