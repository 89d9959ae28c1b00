import { Failure } from "./failure.ts"
import type { Progress } from "./progress.ts"
import { fetchChallenge, fetchTicket, upload } from "./requests.ts"
import type { Visit } from "./visit.ts"
import type { Letter } from "./worker-calls.ts"

/** What every sealed file begins with. */
const SEALED = "age-encryption.org/v1\n"

/**
 * Seals a letter, earns a ticket for its size and sends it; resolves when the server has stored it.
 * Nothing but the sealed file leaves.
 */
export async function sendLetter(
  visit: Visit,
  letter: Letter,
  /** How often the work for the ticket is doubled, because the person wants it. */
  effort: string,
  progress: Progress,
): Promise<void> {
  const keys = await visit.keys("fresh")
  progress.at("script-sealing", 0)
  const sealed = await visit.worker.call("seal", [letter, keys], (share) =>
    progress.at("script-sealing", share),
  )
  // The worker has looked at it already. This is the last place before it leaves, so it is looked
  // at again.
  const start = new TextDecoder("latin1").decode(sealed.sealed.subarray(0, SEALED.length))
  if (start !== SEALED) throw new Failure("failure-sealing")
  progress.at("script-proof", 0)
  const challenge = await fetchChallenge(effort, sealed.sealed.length)
  const solved = await visit.worker.call("solve", [challenge], (share) =>
    progress.at("script-proof", share),
  )
  if (solved === null) throw new Failure("failure-ticket")
  const ticket = await fetchTicket(solved)
  progress.at("script-sending", 0)
  await upload(sealed, ticket, (share) => progress.at("script-sending", share))
}
