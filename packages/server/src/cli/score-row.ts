/** What came back for a row: a result, or the code of a problem. */
export type Outcome =
  | { readonly result: Readonly<Record<string, unknown>>; readonly problem: null }
  | { readonly result: null; readonly problem: string }

/** One row of the input. */
export interface Row {
  /** null where the row cannot be read; `problem` then says why. */
  readonly identity: string | null
  readonly problem: string | null
  /** The row of the output, with its end. */
  outputLine(outcome: Outcome): string
}

export interface Rows {
  /** What the output begins with. */
  readonly head: string
  readonly rows: AsyncIterable<Row>
}
