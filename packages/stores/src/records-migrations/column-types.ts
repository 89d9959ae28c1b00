import type { ColumnDefinitionBuilder, RawBuilder } from "kysely"

/** How a migration names column types, so that a value means the same on both engines. */
export interface ColumnTypes {
  /** 64 bits, read as a JavaScript number. */
  integer: "integer" | "bigint"
  /** Compared byte by byte, whatever the locale of the server. */
  text: "text" | RawBuilder<unknown>
  bytes: "blob" | "bytea"
  /** A number the engine counts up itself and never gives out twice. */
  identity: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder
  /** Closes a `create table`. */
  tableEnd: RawBuilder<unknown>
  /**
   * Statements after which rows of `audit` are added with numbers of their own, and not changed.
   */
  appendOnly: readonly RawBuilder<unknown>[]
}
