import type { Caller } from "../accounts/callers.ts"
import { plans } from "../accounts/plans.ts"
import { scoringSettings } from "../accounts/tenant-settings.ts"
import { asked } from "../base/asker.ts"
import { decisionsOff } from "../score/decision-draft.ts"
import { emailScorer, type EmailServices } from "../score/email/email-scorer.ts"
import { networkTrustOff } from "../score/network-trust.ts"

/** Enough that what all requests pass has been compiled. */
const ADDRESSES = 50

const NOBODY: Caller = {
  keyId: "",
  tenantId: null,
  plan: plans.enterprise,
  scopes: new Set(),
  person: null,
  shadow: null,
  ...scoringSettings({}),
}

/**
 * Scores addresses that nobody can have, before a worker takes requests: its first answers would
 * take ten times as long, and after every reload somebody would wait for them. Nothing is counted,
 * kept or asked of a network. An index that fails ends it, and shows in the first request.
 */
export async function warmUp(services: EmailServices): Promise<void> {
  const { identify, score } = emailScorer({
    ...services,
    network: networkTrustOff,
    decisions: decisionsOff,
    usage: { count: () => undefined, flush: async () => undefined },
  })
  try {
    for (let n = 0; n < ADDRESSES; n++) {
      const address = identify(`warm.up${n}@host${n}.invalid`, null)
      await asked((asker) => score(address, NOBODY, false, null, asker))
    }
  } catch {
    // Whoever asks next hears of it.
  }
}
