import { createHmac, randomInt } from "node:crypto"
import { isPayload } from "@assay/drop/proof-payload"
import { openSpent } from "@assay/drop/spent"
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

/**
 * Solutions that were accepted are remembered in this process alone, and no challenge of an earlier
 * one is taken: it might have been used there.
 */
export function openProofOfWork(secret: Uint8Array, now: () => number): ProofOfWork {
  const openedAtMs = now()
  const spent = openSpent({ now, rememberedMax: REMEMBERED_MAX })
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
      if (!(expiresAt * 1000 > now() && Number(data["made"]) >= openedAtMs)) return false
      const { verified } = await verifySolution({ challenge, solution, deriveKey, ...secrets })
      if (!verified) return false
      return spent.spend(Buffer.from(challenge.signature ?? "", "hex"), expiresAt * 1000)
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
