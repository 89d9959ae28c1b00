import { type MxRecord, Resolver } from "node:dns"
import type { NameServers } from "../../../base/name-servers.ts"
import { LookupFailure } from "./lookup-failure.ts"

/** Questions to the DNS. null: the name does not exist; empty: it exists and has no such record. */
export interface NameService {
  mx(name: string): Promise<readonly MxRecord[] | null>
  /** Each record as one text, its character strings joined. */
  txt(name: string): Promise<readonly string[] | null>
  a(name: string): Promise<readonly string[] | null>
  aaaa(name: string): Promise<readonly string[] | null>
  ns(name: string): Promise<readonly string[] | null>
  /** Ends questions under way as failures. */
  close(): void
}

/**
 * A resolver that needs longer has found a domain that does not answer: what comes then is of no
 * use to a request.
 */
const TRY_MS = 1000
const TRIES = 2

// Errors that are about this name: the resolver itself works.
const FAULTS_OF_NAME: ReadonlySet<string | undefined> = new Set(["ESERVFAIL", "EBADNAME"])

type Ask<T> = (
  name: string,
  callback: (error: NodeJS.ErrnoException | null, records: T[]) => void,
) => void

export function openNameService(servers: NameServers): NameService {
  const resolver = new Resolver({ timeout: TRY_MS, maxTimeout: TRY_MS, tries: TRIES })
  if (servers !== "system") resolver.setServers(servers)
  const records = <T>(ask: Ask<T>, name: string): Promise<readonly T[] | null> =>
    new Promise((resolve, reject) =>
      ask.call(resolver, name, (error, found) => {
        if (error === null) resolve(found)
        else if (error.code === "ENODATA") resolve([])
        else if (error.code === "ENOTFOUND") resolve(null)
        else reject(new LookupFailure(FAULTS_OF_NAME.has(error.code) ? "name" : "provider"))
      }),
    )
  return {
    mx: (name) => records(resolver.resolveMx, name),
    async txt(name) {
      const found = await records(resolver.resolveTxt, name)
      return found?.map((strings) => strings.join("")) ?? null
    },
    a: (name) => records<string>(resolver.resolve4, name),
    aaaa: (name) => records<string>(resolver.resolve6, name),
    ns: (name) => records(resolver.resolveNs, name),
    close: () => resolver.cancel(),
  }
}
