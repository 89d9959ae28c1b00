import { solveChallenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/web/pbkdf2"
import type { Challenge, Payload } from "altcha-lib/types"

/** Past this a challenge has nearly expired. */
const SOLVE_MS = 15 * 60_000

/** Tries one number after the other; which one it is, is known only when it is found. */
export async function solve(
  challenge: Challenge,
  onTry: (tries: number) => void,
): Promise<Payload | null> {
  let tries = 0
  const solution = await solveChallenge({
    challenge,
    timeout: SOLVE_MS,
    deriveKey(parameters, salt, password) {
      tries += 1
      onTry(tries)
      return deriveKey(parameters, salt, password)
    },
  })
  return solution === null ? null : { challenge, solution }
}
