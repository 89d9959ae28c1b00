import type { Problem } from "../problem.ts"

/** A request of many lookups that was let in. It counts once for the rate; each lookup counts for month and day. */
export interface ManyAdmission {
  readonly headers: Readonly<Record<string, string>>
  /** Lets one lookup in, or throws a 429 Problem for it. At once where nothing is limited. */
  admitLookup(identityTag: (tenantId: number) => Uint8Array): Promise<void> | undefined
  /** A lookup that was let in turned out not to count. */
  refundLookup(): void
  /** Called once, when all is done: gives back what was leased and not used, and a request that failed as a whole. */
  close(failed?: "failed"): void
}

export const OPEN_MANY: ManyAdmission = {
  headers: {},
  admitLookup: () => undefined,
  refundLookup: () => undefined,
  close: () => undefined,
}

interface ManyOptions {
  readonly headers: Readonly<Record<string, string>>
  /** Takes lookups from the month and says how many it got. */
  readonly leaseLookups: (wanted: number) => Promise<number>
  readonly admitIdentity: (identityTag: (tenantId: number) => Uint8Array) => Promise<boolean>
  readonly quotaRefusal: () => Problem
  readonly identitiesRefusal: () => Problem
  readonly failOpen: (error: unknown) => void
  readonly giveBack: (lookups: number) => void
  readonly giveBackRequest: () => void
}

/** Lookups leased at once: a free month in fifty questions, and little to give back. */
const LEASED = 20

/** Admits lookups from small leases of the month. The request brings the first with it. */
export function manyAdmission(options: ManyOptions): ManyAdmission {
  const { leaseLookups, admitIdentity, failOpen } = options
  let held = 1
  let leasing: Promise<number> | null = null
  // Counters that do not answer would cost every lookup their time-out, so after a failure a few go unasked.
  let unasked = 0
  let uncharged = 0

  async function take(): Promise<boolean> {
    while (held === 0) {
      // Lookups that find nothing held at the same time wait for one lease together.
      leasing ??= leaseLookups(LEASED)
        .then((granted) => {
          held += granted
          return granted
        })
        .finally(() => (leasing = null))
      if ((await leasing) === 0) return false
    }
    held--
    return true
  }

  async function admit(identityTag: (tenantId: number) => Uint8Array): Promise<void> {
    let taken = false
    let seenToday: boolean
    try {
      taken = await take()
      seenToday = taken && (await admitIdentity(identityTag))
    } catch (error) {
      failOpen(error)
      unasked = LEASED
      if (!taken) uncharged++
      return
    }
    if (!taken) throw options.quotaRefusal()
    if (seenToday) return
    held++
    throw options.identitiesRefusal()
  }

  return {
    headers: options.headers,
    admitLookup(identityTag) {
      if (unasked === 0) return admit(identityTag)
      unasked--
      uncharged++
      return undefined
    },
    refundLookup() {
      // Never more is given back than was taken.
      if (uncharged > 0) uncharged--
      else held++
    },
    close(failed) {
      if (failed !== undefined && held > 0) {
        held--
        options.giveBackRequest()
      }
      options.giveBack(held)
      held = 0
    },
  }
}
