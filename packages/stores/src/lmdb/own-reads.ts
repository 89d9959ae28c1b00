import * as lmdb from "lmdb"
import type { ReadAt } from "./checked-database.ts"

type Transaction = ReadAt["transaction"]

/** What lmdb exports beside its typings: the addon that its own methods call. */
interface Addon {
  readonly Txn: new (
    environment: object,
    flags: number,
  ) => Transaction & {
    readonly address: number
    renew(): void
  }
  resetTxn(address: number): void
}

const { Txn, resetTxn } = (lmdb as unknown as { readonly nativeAddon: Addon }).nativeAddon
const READ_ONLY = 0x2_0000

/**
 * A read transaction that only the index uses. lmdb has one for all its reads and starts a timer
 * each time it begins, which costs more than a look-up. This one is begun and ended by its user.
 */
export interface OwnRead {
  readonly at: ReadAt
  /** The next read with `at` sees the newest committed state, and so do those after it. */
  begin(): void
  /** As `begin`, at once: from now on the pages of this state are not used again. */
  pin(): void
  /** Nothing is held any more. A read with `at` would begin again. */
  end(): void
}

/**
 * Two transactions of an environment, one for single reads and one for those of a turn. Called
 * while lmdb has no read transaction of its own, that is right after its last database was opened:
 * the addon takes the newest one for lmdb's, so lmdb must begin its own after these. They live as
 * long as the environment, which ends them when it closes: the addon would go on with one that was
 * ended before.
 */
export function openOwnReads(root: lmdb.RootDatabase<Uint8Array, Uint8Array>): {
  readonly single: OwnRead
  readonly turn: OwnRead
} {
  const { env } = root as unknown as { readonly env: object }
  return { single: ownRead(env), turn: ownRead(env) }
}

function ownRead(environment: object): OwnRead {
  const transaction = new Txn(environment, READ_ONLY)
  let begun = false
  const end = (): void => {
    begun = false
    resetTxn(transaction.address)
  }
  end()
  const at = { transaction, state: 0 }
  return {
    at,
    begin() {
      if (begun) end()
      at.state++
      // The addon renews a transaction that was reset in the first read that names it.
      begun = true
    },
    pin() {
      if (begun) end()
      at.state++
      transaction.renew()
      begun = true
    },
    end,
  }
}
