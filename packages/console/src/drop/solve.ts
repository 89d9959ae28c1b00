import { solveChallenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/web/pbkdf2"
import type { Challenge, Payload } from "altcha-lib/types"

/** Past this a challenge has nearly expired. */
const SOLVE_MS = 15 * 60_000

/** Tries one number after the other, of which the challenge says how many there are at most. */
export async function solve(
  challenge: Challenge,
  onShare: (share: number) => void,
): Promise<Payload | null> {
  const most = Number(challenge.parameters.data?.["most"])
  let tries = 0
  const solution = await solveChallenge({
    challenge,
    timeout: SOLVE_MS,
    deriveKey(parameters, salt, password) {
      tries += 1
      onShare(tries / most)
      return deriveKey(parameters, salt, password)
    },
  })
  return solution === null ? null : { challenge, solution }
}
