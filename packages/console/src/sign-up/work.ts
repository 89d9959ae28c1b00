import type { SignUpOffer } from "@assay/client"
import { solveChallenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/web/pbkdf2"
import type { Challenge } from "altcha-lib/types"

/** Does the work that keeps programs from signing up by the thousand: a second or a few. */
export async function workedOn({
  challenge,
}: SignUpOffer): Promise<{ challenge: object; solution: object }> {
  const solution = await solveChallenge({ challenge: challenge as unknown as Challenge, deriveKey })
  if (solution === null) throw new Error("This browser could not do the work of the form")
  return { challenge, solution }
}
