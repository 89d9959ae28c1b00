import { type ColumnMap, FIELDS } from "./format.ts"

/**
 * Lines of a Parquet file call their members as the fields are called, whatever the file calls its
 * columns.
 */
export const PARQUET_LINE_COLUMNS: ColumnMap = Object.fromEntries(
  FIELDS.map((name, at) => [name, { at, name }]),
)
