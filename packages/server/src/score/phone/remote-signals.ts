import { type SignalDesk, SIGNALS_FAILED } from "../providers/phone-signals.ts"

/** What the way to the place that asks providers, and back, may take beside their budget. */
export const WAY_MS = 50

/** Answers also where the place that asks providers does not. */
export function orFailed(desk: SignalDesk, onFailed: () => void): SignalDesk {
  return {
    look: (question) =>
      desk.look(question).catch(() => {
        // The state shows the failure and the metrics count it. It is not logged: a request has no
        // use for it, and there may be hundreds a second while the process is restarted.
        onFailed()
        return SIGNALS_FAILED
      }),
  }
}
