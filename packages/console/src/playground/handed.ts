import { skipToken, useQuery } from "@tanstack/react-query"
import { queries } from "../ui/service.ts"

// What was typed elsewhere to be scored here: in the memory of this tab alone, never in an address.

const KEY = ["to-score"]

export function handOver(identity: string | null): void {
  queries.setQueryData(KEY, identity)
}

export function useHanded(): string | null {
  const { data = null } = useQuery<string | null>({
    queryKey: KEY,
    queryFn: skipToken,
    gcTime: Infinity,
    staleTime: Infinity,
  })
  return data
}
