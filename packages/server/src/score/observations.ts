import type { Caller } from "../accounts/callers.ts"
import type { Found, FoundEntry, Source } from "@assay/stores/exposure-index"

/** An entry of the index with the source it came from. */
export interface Observation {
  readonly entry: FoundEntry
  readonly source: Source
}

/**
 * The part of a lookup's result that this caller may see; sensitive sources act only for tenants an
 * administrator verified.
 */
export function visibleTo(caller: Caller, { entries, catalogue }: Found): Observation[] {
  const visible: Observation[] = []
  for (const entry of entries) {
    const source = catalogue.sources.get(catalogue.batches.get(entry.batchId)?.sourceId ?? -1)
    // To leave it out would be to answer CLEAN for want of a record.
    if (source === undefined)
      throw new Error("An entry names a batch or source the catalogue does not have")
    if (!source.flags.sensitive || caller.verified) visible.push({ entry, source })
  }
  return visible
}

/**
 * Plans without named sources see that sources differ, not which they are: they are numbered within
 * the one answer, so that a number says nothing about another person's.
 */
export function sourceLabels({ plan }: Caller): (source: Source) => string {
  if (plan.namedSources) return ({ name }) => name
  const label = numbered("source")
  return ({ id }) => label(String(id))
}

/**
 * Items can name a source too (a site, a log), so those plans see only whether two are the same.
 */
export function itemLabels({ plan }: Caller): (item: string) => string {
  return plan.namedSources ? (item) => item : numbered("item")
}

/** Stands for each name by the order in which it was first asked for. */
export function numbered(word: string): (name: string) => string {
  const numbers = new Map<string, number>()
  return (name) => {
    const number = numbers.get(name) ?? numbers.size + 1
    numbers.set(name, number)
    return `${word} ${number}`
  }
}
