import { type Client, createClient, createSessionClient, type SessionDetails } from "@assay/client"
import { QueryClient, useQuery, type UseQueryResult } from "@tanstack/react-query"
import { facts } from "./facts.ts"

/** People wait longer than programs do. */
const TIMEOUT_MS = 15_000
const baseUrl = location.origin

/** The service as whoever is signed in. */
export const service = createSessionClient({ baseUrl, timeoutMs: TIMEOUT_MS })

/** The service as a visitor of the demo, who may only score; null in production. */
export const demo: Client | null =
  facts.demoKey === null
    ? null
    : createClient({
        baseUrl,
        apiKey: facts.demoKey,
        timeoutMs: TIMEOUT_MS,
        // A key of made-up data that every visitor of the demo has.
        dangerouslyAllowBrowser: true,
      })

export const queries = new QueryClient({
  defaultOptions: {
    // The client of the service repeats what is worth repeating.
    queries: { retry: false, staleTime: 10_000, refetchOnWindowFocus: false },
    mutations: { retry: false },
  },
})

/** Who is signed in; null: nobody. */
export function useSession(): UseQueryResult<SessionDetails | null> {
  return useQuery({
    queryKey: ["session"],
    queryFn: ({ signal }) => service.session({ signal }),
    staleTime: 60_000,
  })
}

/** Whether somebody may change what analysts work with, and not only look at it. */
export function isAnalyst(session: SessionDetails | null | undefined): boolean {
  return session?.roles.some((role) => role === "owner" || role === "analyst") === true
}

/** After a sign-in, or the end of one: nothing that was read before is shown again. */
export async function forgetEverything(): Promise<void> {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" })
  await queries.invalidateQueries({ queryKey: ["session"] })
}
