import type { AttemptsOf, LeaseRecords } from "@assay/stores/records-nodes"
import { openKeyedHash } from "../accounts/sealed.ts"
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
   * Takes an attempt from what is left on this node, before anything is looked up, or throws a
   * Problem.
   */
  take(attempt: Attempt): TakenAttempt
}

export interface TakenAttempt {
  /** Takes it from what is left on all nodes together, or throws a Problem. */
  everywhere(): Promise<void>
  /** The attempt was none, since it succeeded. */
  giveBack(): Promise<void>
}

const WINDOW_MS = 15 * 60_000
/** Many people may share a network, so it has more than one of them needs. */
const PER_NETWORK = 50
const PER_ACCOUNT = 10
const PER_DEVICE = 10
/** Of each kind. An entry takes some 200 bytes: 10 MB at most. */
const COUNTED_MAX = 20_000

/** Where nodes that share the records count together. */
export interface SharedGuesses {
  readonly records: Pick<LeaseRecords, "takeAttempts" | "giveBackAttempts">
  /** Of the master secret: all nodes name who attempts alike, and nobody without it can. */
  readonly subkey: Uint8Array
}

/**
 * Counts attempts that failed. A browser that signed the person in before is counted by itself
 * alone: however many guess, the owner's own browser gets in.
 *
 * What this node counts comes first, so that a flood is turned away without asking the records.
 * `shared` is null for a node that is alone.
 */
export function openGuesses(now: () => number, shared: SharedGuesses | null): Guesses {
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
      if (full.length > 0) throw exceeded(Math.max(...full.map((count) => count.waitMs())))
      for (const count of counted) count.add(1)
      const giveBackHere = (): void => {
        for (const count of counted) count.add(-1)
      }
      const together = shared === null ? null : sharedAttempt(shared, { network, account, device })
      return {
        async everywhere() {
          try {
            await together?.take()
          } catch (error) {
            // Nothing is looked at, and this node would otherwise refuse for longer than all do.
            giveBackHere()
            throw error
          }
        },
        async giveBack() {
          giveBackHere()
          await together?.giveBack()
        },
      }
    },
  }
}

function exceeded(waitMs: number): Problem {
  return new Problem(
    "guesses-exceeded",
    `Nothing was looked at. Try again in ${Math.ceil(waitMs / 1000)} seconds.`,
  )
}

function sharedAttempt(
  { records, subkey }: SharedGuesses,
  { network, account, device }: Attempt,
): { take(): Promise<void>; giveBack(): Promise<void> } {
  const hash = openKeyedHash(subkey, "attempt to sign in")
  const of = (kind: string, text: string, most: number): AttemptsOf => ({
    name: `sign-in ${Buffer.from(hash(`${kind} ${text}`)).toString("base64")}`,
    most,
  })
  const names =
    device !== null
      ? [of("device", device, PER_DEVICE)]
      : [
          of("account", account, PER_ACCOUNT),
          ...(network === null ? [] : [of("network", network, PER_NETWORK)]),
        ]
  return {
    async take() {
      const waitMs = await records.takeAttempts({ names, forMs: WINDOW_MS })
      if (waitMs !== null) throw exceeded(waitMs)
    },
    giveBack: () => records.giveBackAttempts(names.map(({ name }) => name)),
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
