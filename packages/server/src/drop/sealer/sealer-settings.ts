import type { PageFile } from "../pages/page-input.ts"
import type { Deadlines } from "./deadlines.ts"

/** What a sealer is told when it starts, over its channel: its command line and environment say nothing. */
export interface SealerSettings {
  /** The files that pages name, by name: a sealer itself opens none. */
  readonly pageFiles: Readonly<Record<string, PageFile>>
  readonly deadlines: Deadlines
}
