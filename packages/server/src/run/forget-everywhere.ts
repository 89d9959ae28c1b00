import type { Log } from "@assay/runtime/log"
import { type CountersPlace, openForgotten } from "@assay/stores/open/open-counters"
import type { ProvidersThread } from "./open-providers-thread.ts"

export interface Forgetting {
  /**
   * Drops what providers said of an identity, by its key in hexadecimal: here at once, on other
   * nodes in a moment. Rejects where these cannot be told now.
   */
  forget(key: string): Promise<void>
  close(): Promise<void>
}

/**
 * Every node remembers for itself what providers said, so that all of them must hear of a change.
 */
export async function forgetEverywhere(
  place: CountersPlace,
  providers: Pick<ProvidersThread, "forget" | "forgetAll">,
  log: Log,
): Promise<Forgetting> {
  const others = await openForgotten(place, {
    onForgotten: providers.forget,
    onMissed: providers.forgetAll,
    log,
  })
  return {
    async forget(key) {
      await providers.forget(key)
      await others?.tell(key)
    },
    close: async () => await others?.close(),
  }
}
