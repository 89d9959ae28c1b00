import type { Call } from "@assay/runtime/rpc"
import { type PhoneSignals, type SignalDesk, SIGNALS_FAILED } from "./phone-signals.ts"

/** What the way to the place that asks providers, and back, may take beside their budget. */
export const WAY_MS = 50

/** The machine's one place that asks providers, as a worker reaches it. */
export function remoteSignals(call: Call, onFailed: () => void): SignalDesk {
  return {
    async look(question) {
      try {
        return (await call("lookSignals", question)) as PhoneSignals
      } catch {
        // The failure is told by the state and counted. It is not logged: a request has no use for
        // it, and there may be hundreds a second while the place is made anew.
        onFailed()
        return SIGNALS_FAILED
      }
    },
  }
}
