import type { DatabasePlace } from "@assay/stores/database"

/** What the thread of the decisions is started with. */
export interface DecisionsThreadData {
  readonly place: DatabasePlace
  readonly journal: string
}
