import { BATCH_ITEMS_MAX } from "@assay/core/contract"
import { answeredInTime } from "./attempts.ts"
import type { Failover } from "./failover.ts"
import { type ScoredItem, scoredItem } from "./items.ts"
import type { Operation } from "./operations.ts"
import type { Settings } from "./options.ts"
import { type ScoreOptions, sender } from "./request.ts"
import { answerOf, notAssays } from "./response.ts"

/** A thousand lookups take longer than one, and nobody waits at a login for them. */
const TIMEOUT_MS = 30_000
/** Below the 512 KiB a batch may have, by more than brackets and commas need. */
const BYTES_MAX = 500 * 1024

/**
 * Scores identities in as few requests as the service allows, one after the other; items come in
 * the order given.
 */
export async function scoreMany(
  settings: Settings<Failover>,
  operation: Operation,
  identities: readonly string[],
  { explain = false, signal, timeoutMs = TIMEOUT_MS, requestId }: ScoreOptions,
): Promise<ScoredItem<object>[]> {
  const { batchPath, identities: member } = operation
  const send = sender(settings, {
    method: "POST",
    path: batchPath + (explain ? "?explain=true" : ""),
    requestId,
  })
  const items: ScoredItem<object>[] = []
  for (const part of parts(identities)) {
    const body = JSON.stringify({ [member]: part })
    const answer = await answeredInTime(
      { timeoutMs, retries: settings.retries, signal },
      async (limit) => await answerOf(await send(body, limit)),
    )
    const results = answer["results"]
    if (!Array.isArray(results) || results.length !== part.length) throw notAssays()
    for (const [place, identity] of part.entries()) {
      const asked = { place, index: items.length, identity, explain, operation }
      items.push(scoredItem(results[place], asked))
    }
  }
  return items
}

/** Parts of at most as many identities, and about as many bytes, as one request may have. */
function* parts(identities: readonly string[]): Generator<readonly string[]> {
  let part: string[] = []
  let bytes = 0
  for (const identity of identities) {
    const size = new TextEncoder().encode(JSON.stringify(identity)).length + 1
    if (part.length === BATCH_ITEMS_MAX || (part.length > 0 && bytes + size > BYTES_MAX)) {
      yield part
      part = []
      bytes = 0
    }
    part.push(identity)
    bytes += size
  }
  if (part.length > 0) yield part
}
