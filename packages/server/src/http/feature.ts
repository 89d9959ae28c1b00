import type { App } from "./app.ts"

/**
 * One thing that the service does, whole: its folder holds a `feature.ts` that says so, and a line
 * in `run/features.ts` makes it part of the service.
 */
export interface Feature<Needs> {
  /** Adds its operations and pages, in every worker. */
  routes(app: App, services: Needs): void | Promise<void>
}
