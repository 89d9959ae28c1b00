import { skipToken, useQuery } from "@tanstack/react-query"
import { queries } from "./service.ts"

/** An identity that somebody typed, for pages to hand to one another. */
export interface TabMemory {
  keep(identity: string | null): void
  useKept(): string | null
}

/**
 * In the memory of this tab alone, never in an address or a storage. It stands among what was read
 * from the service, so it goes when somebody signs out.
 */
export function tabMemory(name: string): TabMemory {
  const queryKey = [name]
  return {
    keep: (identity) => void queries.setQueryData(queryKey, identity),
    useKept() {
      const { data = null } = useQuery<string | null>({
        queryKey,
        queryFn: skipToken,
        gcTime: Infinity,
        staleTime: Infinity,
      })
      return data
    },
  }
}
