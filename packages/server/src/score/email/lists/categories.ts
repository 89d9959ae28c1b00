/**
 * What a line of an operator's list says of a domain. The first three exclude each other, in this
 * order. `toxic` and `deny` may come on top, since a list of bad domains must never make a domain
 * look better than it did without it.
 */
export const LIST_CATEGORIES = ["masked", "disposable", "free", "toxic", "allow", "deny"] as const
export type ListCategory = (typeof LIST_CATEGORIES)[number]

export function isListCategory(text: string): text is ListCategory {
  return (LIST_CATEGORIES as readonly string[]).includes(text)
}

/** The mark of a category in a table of an operator's list. */
export function categoryMark(category: ListCategory): number {
  return 1 << LIST_CATEGORIES.indexOf(category)
}
