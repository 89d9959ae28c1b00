import { randomUUID } from "node:crypto"

export const SWAPPED = "org.camaraproject.sim-swap-subscriptions.v0.swapped"
export const ENDED = "org.camaraproject.sim-swap-subscriptions.v0.subscription-ended"

/**
 * A CloudEvent of SIM Swap Subscriptions 0.3. Its time is the time of the swap, not of the
 * notification.
 */
export function simSwapEvent(
  type: typeof SWAPPED | typeof ENDED,
  atMs: number,
  data: Readonly<Record<string, string>>,
): object {
  return {
    id: randomUUID(),
    source: "/trial-carrier",
    specversion: "1.0",
    type,
    time: new Date(atMs).toISOString(),
    datacontenttype: "application/json",
    data,
  }
}
