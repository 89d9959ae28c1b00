import { skipToken, useQuery } from "@tanstack/react-query"
import { queries } from "../ui/service.ts"

// Whom the list is about: in the memory of this tab alone, never in its address or its storage. The
// address only says that somebody is looked for, so that a page that is loaded anew can say that
// they have to be typed again. It stands among what was read, so it goes when somebody signs out.

const KEY = ["sought"]

export function seek(identity: string | null): void {
  queries.setQueryData(KEY, identity)
}

export function useSought(): string | null {
  const { data = null } = useQuery<string | null>({
    queryKey: KEY,
    queryFn: skipToken,
    gcTime: Infinity,
    staleTime: Infinity,
  })
  return data
}

/** As a search takes it: what begins with a plus sign is a number. */
export function identityOf(typed: string): { email: string } | { phone_number: string } {
  const number = typed.replace(/[ ().-]/g, "")
  return /^\+\d+$/.test(number) ? { phone_number: number } : { email: typed }
}
