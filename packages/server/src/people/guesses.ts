import { Problem } from "../base/problem.ts"

/** Where an attempt to sign in comes from, and for whom. */
export interface Attempt {
  /** null where it is not known. */
  readonly network: string | null
  /** Whom it is for, by a hash: the same for addresses that nobody has. */
  readonly account: string
  /** The browser, if it signed this person in before; null: any other. */
  readonly device: string | null
}

export interface Guesses {
  /**
   * Takes an attempt from what is left, before anything is looked up, or throws a Problem. The
   * function it returns gives it back: the attempt was none, since it succeeded.
   */
  take(attempt: Attempt): () => void
}

const WINDOW_MS = 15 * 60_000
/** Many people may share a network, so it has more than one of them needs. */
const PER_NETWORK = 50
const PER_ACCOUNT = 10
const PER_DEVICE = 10
/** Of each kind. An entry takes some 200 bytes: 10 MB at most. */
const COUNTED_MAX = 20_000

/**
 * Counts attempts that failed. A browser that signed the person in before is counted by itself
 * alone: however many guess, the owner's own browser gets in.
 */
export function openGuesses(now: () => number): Guesses {
  const networks = openCounts(PER_NETWORK, now)
  const accounts = openCounts(PER_ACCOUNT, now)
  const devices = openCounts(PER_DEVICE, now)
  return {
    take({ network, account, device }) {
      const counted =
        device !== null
          ? [devices.of(device)]
          : [accounts.of(account), ...(network === null ? [] : [networks.of(network)])]
      const full = counted.filter((count) => count.isFull())
      if (full.length > 0) {
        const waitMs = Math.max(...full.map((count) => count.waitMs()))
        throw new Problem(
          "guesses-exceeded",
          `Nothing was looked at. Try again in ${Math.ceil(waitMs / 1000)} seconds.`,
        )
      }
      for (const count of counted) count.add(1)
      return () => {
        for (const count of counted) count.add(-1)
      }
    },
  }
}

interface Entry {
  count: number
  readonly endsAt: number
}

interface Count {
  isFull(): boolean
  waitMs(): number
  add(attempts: number): void
}

function openCounts(most: number, now: () => number): { of(name: string): Count } {
  // In the order in which their windows end.
  const entries = new Map<string, Entry>()
  const current = (name: string): Entry | undefined => {
    const entry = entries.get(name)
    return entry !== undefined && entry.endsAt > now() ? entry : undefined
  }
  /** Whoever used up all they had is forgotten last: others could be sent to push them out. */
  const makeRoom = (): void => {
    for (const [name, { endsAt }] of entries) {
      if (endsAt > now()) break
      entries.delete(name)
    }
    if (entries.size < COUNTED_MAX) return
    for (const [name, { count }] of entries) {
      if (count >= most) continue
      entries.delete(name)
      return
    }
    const [oldest] = entries.keys()
    if (oldest !== undefined) entries.delete(oldest)
  }
  return {
    of: (name) => ({
      isFull: () => (current(name)?.count ?? 0) >= most,
      waitMs: () => (current(name)?.endsAt ?? now()) - now(),
      add(attempts) {
        const entry = current(name)
        if (entry !== undefined) {
          entry.count = Math.max(0, entry.count + attempts)
          return
        }
        if (attempts < 0) return
        entries.delete(name)
        makeRoom()
        entries.set(name, { count: attempts, endsAt: now() + WINDOW_MS })
      },
    }),
  }
}
