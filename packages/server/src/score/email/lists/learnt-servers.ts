import { DAY_MS, dayOf } from "@assay/runtime/time"

/** What lists say of a host that was seen at a mail server. */
export type Standing = "listed" | "guarded"

/** What is known of one mail server, by name or by address. */
export interface LearntServer {
  readonly server: string
  /** Disposable hosts it serves. */
  readonly hosts: readonly string[]
  /** The day the newest of them was seen. */
  readonly seen: string
  /** Other hosts it serves are likely disposable. */
  readonly marks: boolean
  /** It serves a guarded or popular host too, so it says nothing. */
  readonly guarded: boolean
  readonly overruled: boolean
  /** The day it stops marking, if nothing is seen again; null where it does not mark. */
  readonly until: string | null
}

/**
 * As it is stored. Only names of disposable hosts are in it: who else is served is nobody's
 * business.
 */
export interface LearntDocument {
  readonly format: 1
  readonly servers: Readonly<Record<string, StoredServer>>
  readonly overruled: readonly string[]
}

interface StoredServer {
  /** Days by host. */
  readonly listed: Readonly<Record<string, string>>
  /** The day a guarded host was last seen. */
  readonly guarded?: string
}

interface Server {
  readonly listed: Map<string, string>
  guarded: string | null
}

export const HOSTS_NEEDED = 5
const EXPIRES_DAYS = 90
/** Keeping more than needed adds nothing. */
const HOSTS_KEPT = 20
const SERVERS_MAX = 20_000

/**
 * Mail servers by the hosts they serve. A server of at least five disposable hosts and of no
 * guarded or popular one marks other hosts it serves. A sighting is forgotten after 90 days, and an
 * operator overrules a server for good.
 */
export class LearntServers {
  readonly #servers = new Map<string, Server>()
  readonly #overruled: Set<string>

  constructor(document: LearntDocument = { format: 1, servers: {}, overruled: [] }) {
    for (const [name, { listed, guarded = null }] of Object.entries(document.servers))
      this.#servers.set(name, { listed: new Map(Object.entries(listed)), guarded })
    this.#overruled = new Set(document.overruled)
  }

  /**
   * Records a sighting of a host at a server. Returns whether the server now marks, or stops
   * marking, its hosts.
   */
  notice(name: string, host: string, standing: Standing, nowMs: number): boolean {
    const before = this.marks(name, nowMs)
    const server = this.#servers.get(name) ?? this.#added(name, standing)
    if (server === null) return false
    const today = dayOf(nowMs)
    if (standing === "guarded") server.guarded = today
    else {
      // Set anew, so that the one seen longest ago comes first.
      server.listed.delete(host)
      server.listed.set(host, today)
      for (const oldest of server.listed.keys()) {
        if (server.listed.size <= HOSTS_KEPT) break
        server.listed.delete(oldest)
      }
    }
    return this.marks(name, nowMs) !== before
  }

  marks(name: string, nowMs: number): boolean {
    const server = this.#servers.get(name)
    if (server === undefined || this.#overruled.has(name)) return false
    const since = dayOf(nowMs - EXPIRES_DAYS * DAY_MS)
    if (server.guarded !== null && server.guarded > since) return false
    return freshDays(server, since).length >= HOSTS_NEEDED
  }

  /** Forgets what has expired. Returns whether there was any. */
  expire(nowMs: number): boolean {
    const since = dayOf(nowMs - EXPIRES_DAYS * DAY_MS)
    let changed = false
    for (const [name, server] of this.#servers) {
      for (const [host, day] of server.listed) {
        if (day <= since) changed = server.listed.delete(host)
      }
      if (server.guarded !== null && server.guarded <= since) {
        server.guarded = null
        changed = true
      }
      if (server.listed.size === 0 && server.guarded === null) this.#servers.delete(name)
    }
    return changed
  }

  /** Returns false if nothing changed. */
  overrule(name: string, overruled: boolean): boolean {
    if (!overruled) return this.#overruled.delete(name)
    if (this.#overruled.has(name)) return false
    this.#overruled.add(name)
    return true
  }

  /** Every server with a disposable host or overruled by an operator, by name. */
  all(nowMs: number): LearntServer[] {
    const since = dayOf(nowMs - EXPIRES_DAYS * DAY_MS)
    const names = new Set([...this.#servers.keys(), ...this.#overruled])
    return [...names]
      .sort()
      .map((name): LearntServer => {
        const server = this.#servers.get(name) ?? {
          listed: new Map<string, string>(),
          guarded: null,
        }
        const days = freshDays(server, since)
        const marks = this.marks(name, nowMs)
        // It marks as long as this many sightings are fresh.
        const deciding = days.at(-HOSTS_NEEDED)
        return {
          server: name,
          hosts: [...server.listed.keys()],
          seen: days.at(-1) ?? "",
          marks,
          guarded: server.guarded !== null && server.guarded > since,
          overruled: this.#overruled.has(name),
          until:
            marks && deciding !== undefined
              ? dayOf(Date.parse(deciding) + EXPIRES_DAYS * DAY_MS)
              : null,
        }
      })
      .filter(({ hosts, overruled }) => hosts.length > 0 || overruled)
  }

  document(): LearntDocument {
    const stored = [...this.#servers].map(([name, { listed, guarded }]) => [
      name,
      { listed: Object.fromEntries(listed), ...(guarded !== null && { guarded }) },
    ])
    return {
      format: 1,
      servers: Object.fromEntries(stored) as Record<string, StoredServer>,
      overruled: [...this.#overruled].sort(),
    }
  }

  /**
   * A server with guarded hosts only is kept too: when its fifth disposable host comes, it must not
   * mark.
   */
  #added(name: string, standing: Standing): Server | null {
    if (this.#servers.size >= SERVERS_MAX) {
      // Drop a server with honest hosts only: it is the least loss.
      if (standing === "guarded") return null
      const [least] = [...this.#servers].find(([, { listed }]) => listed.size === 0) ?? []
      if (least === undefined) return null
      this.#servers.delete(least)
    }
    const server: Server = { listed: new Map(), guarded: null }
    this.#servers.set(name, server)
    return server
  }
}

/** The days of sightings that have not expired, in order. */
function freshDays({ listed }: Pick<Server, "listed">, since: string): string[] {
  return [...listed.values()].filter((day) => day > since).sort()
}
