import { firstDecisionIdAt } from "./decision-id.ts"
import type { Decision, DecisionFilter, DecisionQuery } from "./decisions.ts"

/** A filter with the ids it is about: those after one and before another. */
export interface Search extends Omit<DecisionFilter, "from" | "until"> {
  readonly after: string
  readonly before: string
  /** Whether those that were erased pass too. */
  readonly erased: boolean
  readonly newestFirst: boolean
  readonly limit: number
}

/** Sorts after every id. */
const AFTER_ALL_IDS = "dec_~"

/** The last one up to an id, erased or not; it need not be the one of that id. */
export function findSearch(id: string): Search {
  const ids = { after: id.slice(0, -1), before: `${id}~` }
  return { ...ids, erased: true, newestFirst: true, limit: 1 }
}

/** Every decision, erased ones too, in the order of ids. */
export function pageSearch({ after, limit }: { after: string | null; limit: number }): Search {
  const all = { before: AFTER_ALL_IDS, erased: true, newestFirst: false }
  return { ...all, after: after ?? "", limit }
}

/** The newest first, or with `after` the oldest. */
export function listSearch(
  query: DecisionFilter & Pick<DecisionQuery, "before" | "after" | "erased" | "limit">,
): Search {
  const { from, until, before, after = "", erased = false, ...filter } = query
  const end = before ?? AFTER_ALL_IDS
  const untilId = until === undefined ? AFTER_ALL_IDS : firstDecisionIdAt(until)
  // The lowest id of that moment but for its last character sorts before all that it has.
  const fromId = from === undefined ? "" : firstDecisionIdAt(from).slice(0, -1)
  return {
    ...filter,
    after: fromId > after ? fromId : after,
    before: untilId < end ? untilId : end,
    erased,
    newestFirst: query.after === undefined,
  }
}

/** Joins what was found in rows and in blocks; one that was moved meanwhile may be in both. */
export function joined(
  one: readonly Decision[],
  other: readonly Decision[],
  { newestFirst, limit }: Search,
): Decision[] {
  const order = newestFirst ? -1 : 1
  const byId = new Map([...one, ...other].map((decision) => [decision.id, decision]))
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -order : order)).slice(0, limit)
}
