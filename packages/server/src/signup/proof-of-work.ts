import { createHmac, randomInt } from "node:crypto"
import { isPayload } from "@assay/drop/proof-payload"
import { openSpent } from "@assay/drop/spent"
import type { LeaseRecords } from "@assay/stores/records-nodes"
import { type Challenge, createChallenge, verifySolution } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/pbkdf2"

/** As dear as a message to the drop: some 600 keys of 1.7 ms are about a second. */
const COST = 5_000
const KEYS_TO_TRY = 600
const SOLVE_MS = 20 * 60_000
/** Some 3 MB. Each is a second of somebody's work. */
const REMEMBERED_MAX = 30_000

/** Work that is done before a sign-up is looked at. */
export interface ProofOfWork {
  challenge(): Promise<Challenge>
  /** True once for a challenge of ours that was solved in time. */
  accept(proof: object): Promise<boolean>
}

/** Solutions that were accepted. */
export interface SpentWork {
  /** Whether work on a challenge of that moment may have been accepted, and forgotten since. */
  mayBeForgotten(madeAtMs: number): boolean
  /** True once for each challenge. */
  spend(signature: Uint8Array, endsAtMs: number): Promise<boolean>
}

/**
 * Of a node that is alone: remembered in this process, and no challenge of an earlier one is taken,
 * since it might have been used there.
 */
export function openSpentWork(now: () => number): SpentWork {
  const openedAtMs = now()
  const spent = openSpent({ now, rememberedMax: REMEMBERED_MAX })
  return {
    mayBeForgotten: (madeAtMs) => !(madeAtMs >= openedAtMs),
    spend: async (signature, endsAtMs) => spent.spend(signature, endsAtMs),
  }
}

/** Of several nodes together: used up in the records. */
export function sharedSpentWork(records: Pick<LeaseRecords, "useOnce">): SpentWork {
  return {
    mayBeForgotten: () => false,
    spend: async (signature) => {
      const name = `sign-up work ${Buffer.from(signature).toString("base64")}`
      // Longer than it is taken, by any clock that is right to some minutes.
      return await records.useOnce({ name, forMs: 4 * SOLVE_MS })
    },
  }
}

export function openProofOfWork(
  secret: Uint8Array,
  spent: SpentWork,
  now: () => number,
): ProofOfWork {
  const secrets = challengeSecrets(secret)
  return {
    challenge: async () =>
      await signedChallenge(secret, {
        // As likely near the beginning as near the end: any other spread would show where to begin.
        counter: randomInt(1, 2 * KEYS_TO_TRY),
        madeAtMs: now(),
      }),

    async accept(proof) {
      if (!isPayload(proof)) return false
      const { challenge, solution } = proof
      const { expiresAt = 0, data = {} } = challenge.parameters
      // The library reads the clock of the process, and takes a challenge without an end for good.
      if (!(expiresAt * 1000 > now()) || spent.mayBeForgotten(Number(data["made"]))) return false
      const { verified } = await verifySolution({ challenge, solution, deriveKey, ...secrets })
      if (!verified) return false
      return await spent.spend(Buffer.from(challenge.signature ?? "", "hex"), expiresAt * 1000)
    },
  }
}

/** A challenge that is solved by `counter` keys. */
export async function signedChallenge(
  secret: Uint8Array,
  { counter, madeAtMs }: { readonly counter: number; readonly madeAtMs: number },
): Promise<Challenge> {
  return await createChallenge({
    algorithm: "PBKDF2/SHA-256",
    cost: COST,
    deriveKey,
    counter,
    expiresAt: Math.floor((madeAtMs + SOLVE_MS) / 1000),
    data: { made: madeAtMs },
    ...challengeSecrets(secret),
  })
}

function challengeSecrets(secret: Uint8Array): {
  hmacSignatureSecret: string
  hmacKeySignatureSecret: string
} {
  const secretFor = (purpose: string): string =>
    createHmac("sha256", secret).update(`sign-up ${purpose}`).digest("hex")
  return {
    hmacSignatureSecret: secretFor("challenge"),
    hmacKeySignatureSecret: secretFor("challenge key"),
  }
}
