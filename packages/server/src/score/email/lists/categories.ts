import { LIST_CATEGORIES, type ListCategory } from "@assay/core/contract"

export { LIST_CATEGORIES, type ListCategory }

export function isListCategory(text: string): text is ListCategory {
  return (LIST_CATEGORIES as readonly string[]).includes(text)
}

/** The mark of a category in a table of an operator's list. */
export function categoryMark(category: ListCategory): number {
  return 1 << LIST_CATEGORIES.indexOf(category)
}
