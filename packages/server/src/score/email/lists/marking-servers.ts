import { registrableDomain } from "./registrable-domain.ts"
import { readLearnt } from "./learnt-file.ts"

/** In a worker: which mail servers mark the hosts they serve as likely disposable. */
export interface MarkingServers {
  /** The first of a host's mail servers that marks it; null for none. */
  markOf(host: string, servers: readonly string[]): string | null
  /**
   * Reads what the primary has written. Throws `lists`, and goes on with what it had, where
   * that cannot be read.
   */
  reload(): void
}

export function openMarkingServers(directory: string, now: () => number): MarkingServers {
  let marking = read(directory, now())
  return {
    markOf(host, servers) {
      if (marking.size === 0) return null
      const own = registrableDomain(host)?.domain ?? host
      for (const server of servers) {
        // Anybody can point a record at a stranger's server, so a domain's own server is not judged
        // by its guests.
        const isOwn = server === own || server.endsWith(`.${own}`)
        if (!isOwn && marking.has(server)) return server
      }
      return null
    },
    reload() {
      marking = read(directory, now())
    },
  }
}

function read(directory: string, nowMs: number): ReadonlySet<string> {
  const servers = readLearnt(directory).all(nowMs)
  return new Set(servers.filter(({ marks }) => marks).map(({ server }) => server))
}
