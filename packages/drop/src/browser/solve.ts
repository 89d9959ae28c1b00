import { solveChallenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/web/pbkdf2"
import type { Challenge, Payload } from "altcha-lib/types"

/** Tries one number after the other. The challenge gives the largest number and the time limit. */
export async function solve(
  challenge: Challenge,
  onShare: (share: number) => void,
): Promise<Payload | null> {
  const { most, solve: solveMs } = challenge.parameters.data as { most: number; solve: number }
  let tries = 0
  const solution = await solveChallenge({
    challenge,
    // Somewhat less, because the page must request a ticket before the challenge ends.
    timeout: solveMs * 0.9,
    deriveKey(parameters, salt, password) {
      tries += 1
      onShare(tries / most)
      return deriveKey(parameters, salt, password)
    },
  })
  return solution === null ? null : { challenge, solution }
}
