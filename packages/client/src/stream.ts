import { scoreMany } from "./batch.ts"
import { AssayUnavailable } from "./errors.ts"
import type { Failover } from "./failover.ts"
import { type ScoredItem, scoredItem } from "./items.ts"
import type { Operation } from "./operations.ts"
import { checkedTimeout, isBrowser, type Settings } from "./options.ts"
import { type ScoreOptions, sender } from "./request.ts"
import { answerOf, isJsonObject, itemProblem, jsonObject, notAssays } from "./response.ts"
import { type Identities, outgoingLines } from "./outgoing-lines.ts"
import { linesOf } from "./lines.ts"

const TIMEOUT_MS = 60_000
/** Identities on their way at once. */
const UNANSWERED_MAX = 1_000
/** Identities of a request where no stream can be sent. */
const PART = 500
const NDJSON = "application/x-ndjson"

/**
 * Scores identities while they come. Browsers send no stream over HTTP/1.1, so there it is parts,
 * one after the other.
 */
export function scoreStream(
  settings: Settings<Failover>,
  operation: Operation,
  identities: Identities,
  options: ScoreOptions,
): AsyncGenerator<ScoredItem<object>> {
  return isBrowser()
    ? scoredInParts(settings, operation, identities, options)
    : scoredInStream(settings, operation, identities, options)
}

async function* scoredInParts(
  settings: Settings<Failover>,
  operation: Operation,
  identities: Identities,
  options: ScoreOptions,
): AsyncGenerator<ScoredItem<object>> {
  let index = 0
  let part: string[] = []
  const scored = async (): Promise<ScoredItem<object>[]> => {
    const items = await scoreMany(settings, operation, part, options)
    part = []
    return items.map((item) => ({ ...item, index: index++ }))
  }
  for await (const identity of identities) {
    part.push(identity)
    if (part.length === PART) yield* await scored()
  }
  yield* await scored()
}

async function* scoredInStream(
  settings: Settings<Failover>,
  operation: Operation,
  identities: Identities,
  { explain = false, signal, timeoutMs = TIMEOUT_MS, requestId }: ScoreOptions,
): AsyncGenerator<ScoredItem<object>> {
  const send = sender(settings, {
    method: "POST",
    path: operation.batchPath + (explain ? "?explain=true" : ""),
    requestId,
    contentType: NDJSON,
  })
  checkedTimeout(timeoutMs)
  signal?.throwIfAborted()
  const ending = new AbortController()
  const giveUp = (): void => ending.abort(signal?.reason)
  signal?.addEventListener("abort", giveUp)
  const late = (): void =>
    ending.abort(new AssayUnavailable("timeout", `Assay did not answer within ${timeoutMs} ms`))
  const outgoing = outgoingLines(identities, UNANSWERED_MAX, { timeoutMs, late })
  let index = 0
  try {
    const response = await send(outgoing.body, ending.signal)
    if (response.status !== 200 || response.body === null) await answerOf(response)
    for await (const line of linesOf(response)) {
      const item = jsonObject(line)
      if (item !== null && !Object.hasOwn(item, "index") && isJsonObject(item["problem"]))
        throw itemProblem(item["problem"])
      const identity = outgoing.answered()
      if (identity === undefined) throw notAssays()
      yield scoredItem(item, { place: index, index, identity, explain, operation })
      outgoing.expect()
      index++
    }
    if (!outgoing.isDone())
      throw new AssayUnavailable("network", "The response broke off", { status: 200 })
  } catch (error) {
    // A failure of the caller's source, or the caller's abort, comes first: the request failed
    // because of it.
    throw outgoing.failure() ?? (ending.signal.aborted ? ending.signal.reason : error)
  } finally {
    signal?.removeEventListener("abort", giveUp)
    outgoing.close()
    ending.abort()
  }
}
