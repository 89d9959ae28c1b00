/** Where decisions are kept: one of a directory of SQLite files and a PostgreSQL URL. */
export type DecisionsPlace = { readonly directory: string } | { readonly url: string }

/** What the thread of the decisions is started with. */
export interface DecisionsThreadData {
  readonly place: DecisionsPlace
  readonly journal: string
}
