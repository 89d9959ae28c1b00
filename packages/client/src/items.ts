import type { AssayProblem } from "./errors.ts"
import type { Operation } from "./operations.ts"
import { type Expected, isJsonObject, isResult, itemProblem, notAssays } from "./response.ts"

/** The answer about one identity of many: its result, or why there is none. */
export type ScoredItem<Result> =
  | { readonly index: number; readonly result: Result; readonly problem?: never }
  | { readonly index: number; readonly problem: AssayProblem; readonly result?: never }

interface ItemAsked {
  /** Its place in the answer, and in what the caller gave. */
  readonly place: number
  readonly index: number
  readonly identity: string
  readonly explain: boolean
  readonly operation: Operation
}

/**
 * Reads an item. Throws if it is not the service's, or is about another identity than the one asked
 * in its place.
 */
export function scoredItem(item: unknown, asked: ItemAsked): ScoredItem<object> {
  const { place, index, identity, explain, operation } = asked
  if (!isJsonObject(item) || item["index"] !== place) throw notAssays()
  if (isJsonObject(item["problem"])) return { index, problem: itemProblem(item["problem"]) }
  const expected: Expected = {
    members: explain ? [...operation.members, "explanation"] : operation.members,
    echo: [operation.identity, identity],
  }
  const { result } = item
  if (!isJsonObject(result) || !isResult(result, expected)) throw notAssays()
  return { index, result }
}
