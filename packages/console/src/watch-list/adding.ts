import type { AssayProblem } from "@assay/client"
import { service } from "../ui/service.ts"
import { csvLine } from "../work/csv.ts"
import { portions } from "./lines.ts"

/** What became of the lines so far. No identity is kept: lines are named by their number. */
export interface Added {
  readonly added: number
  readonly existed: number
  /** Of those that were added or existed: domains that are not proved to be the tenant's yet. */
  readonly unproved: number
  readonly refused: readonly { readonly line: number; readonly why: string }[]
  /** Refused beyond those that are listed. */
  readonly more: number
  /** Number, status and ref of every line that is watched, as lines of a file. */
  readonly names: readonly string[]
}

export const NOTHING: Added = {
  ...{ added: 0, existed: 0, unproved: 0 },
  ...{ refused: [], more: 0, names: [] },
}

const LISTED_MAX = 50

/**
 * Sends lines a portion after the other, and tells after each what became of all so far. Rejects
 * where a portion is not answered; what was told by then stays.
 */
export async function addAll(
  source: Blob,
  deliver: boolean,
  tell: (sofar: Added) => void,
  signal: AbortSignal,
): Promise<void> {
  let sofar = NOTHING
  for await (const portion of portions(source, deliver)) {
    const wanted = portion.flatMap((each) => (each.wanted === undefined ? [] : [each]))
    const outcomes = await service.watchList.addLines(
      wanted.map((each) => each.wanted),
      { signal },
    )
    const refused = portion.flatMap((each) =>
      each.refused === undefined ? [] : [{ line: each.line, why: each.refused }],
    )
    const names: string[] = []
    let added = 0
    let unproved = 0
    for (const [n, outcome] of outcomes.entries()) {
      const line = wanted[n]?.line ?? 0
      if (outcome.problem !== undefined) refused.push({ line, why: whyOf(outcome.problem) })
      else {
        if (outcome.status === "added") added++
        if (outcome.domain?.state === "pending") unproved++
        names.push(csvLine([line, outcome.status, outcome.ref]))
      }
    }
    const all = [...sofar.refused, ...refused.sort((a, b) => a.line - b.line)]
    sofar = {
      added: sofar.added + added,
      existed: sofar.existed + names.length - added,
      unproved: sofar.unproved + unproved,
      refused: all.slice(0, LISTED_MAX),
      more: sofar.more + Math.max(0, all.length - LISTED_MAX),
      names: [...sofar.names, ...names],
    }
    tell(sofar)
  }
}

function whyOf(problem: AssayProblem): string {
  const [first] = problem.errors
  if (first === undefined) return problem.title
  return `${first.pointer.slice(2)} ${first.detail}`.trim()
}
