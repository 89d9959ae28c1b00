import { tabMemory } from "../ui/tab-memory.ts"

/**
 * Whom the list is about. The address only says that somebody is looked for, so that a page that is
 * loaded anew can say that they have to be typed again.
 */
export const { keep: seek, useKept: useSought } = tabMemory("sought")

/** As a search takes it: what begins with a plus sign is a number. */
export function identityOf(typed: string): { email: string } | { phone_number: string } {
  const number = typed.replace(/[ ().-]/g, "")
  return /^\+\d+$/.test(number) ? { phone_number: number } : { email: typed }
}
