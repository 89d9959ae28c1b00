import type { Config } from "../../../base/config.ts"
import type { Metrics, ProbeMetrics } from "../../../base/metrics.ts"
import { isLearnableServer } from "../lists/learnable-servers.ts"
import type { MarkingServers } from "../lists/marking-servers.ts"
import { registrableDomain } from "../lists/registrable-domain.ts"
import { DAY_MS } from "@assay/runtime/time"
import { type DomainNetwork, type NetworkTrust, networkTrustOff } from "../../network-trust.ts"
import { KEEP_MS, NAMES, REGISTRY } from "./limits.ts"
import { type MailAddresses, mailAddresses } from "./mail-addresses.ts"
import { mailPolicy, type MailPolicy } from "./mail-policy.ts"
import { mailServers, type MailServers } from "./mail-servers.ts"
import { openNameService } from "./name-service.ts"
import {
  type Answer,
  FAILED,
  type Failed,
  openProbe,
  type Probe,
  type ProbeLimits,
} from "./probe.ts"
import { openRegistry, type Registration } from "./registration.ts"

export interface NetworkTrustOptions {
  readonly config: Pick<Config, "dns" | "rdapUrl" | "rdapRedirects" | "networkBudgetMs">
  readonly metrics: Pick<Metrics, "networkProbe">
  /** What was learnt about mail servers; if absent, nothing is learnt. */
  readonly learning?: Learning
  /** A clock that never goes back: it times pauses and caches, and dates nothing. */
  readonly now?: () => number
}

export interface Learning {
  readonly marking: Pick<MarkingServers, "markOf">
  /** Called with a domain's mail servers, by name and address, whenever they were asked for. */
  noticed(domain: string, servers: readonly string[]): void
}

/** Servers past the preferred ones add nothing. */
const EXCHANGES_MAX = 2

const OFF = { status: "off" } as const
const UNASKED = { status: "unasked" } as const
const LATE = { status: "late" } as const

/** What is known of one kind of look-up when the answer has to be given. */
type Known<T extends Answer> = T | Failed | typeof OFF | typeof UNASKED | typeof LATE
/** The same, or a promise for it. */
type Coming<T extends Answer> = Known<T> | Promise<Known<T>>

/** A probe with its metrics. */
interface Watched<T extends Answer> extends Probe<T> {
  readonly metrics: ProbeMetrics
}

/**
 * Look-ups over the network as configured. If nothing is configured, nothing is opened and nobody
 * is asked.
 */
export function openNetworkTrust({
  config,
  metrics,
  learning,
  now = () => performance.now(),
}: NetworkTrustOptions): NetworkTrust {
  const { dns, rdapUrl, rdapRedirects, networkBudgetMs } = config
  if (dns === null && rdapUrl === null) return networkTrustOff
  const names = dns === null ? null : openNameService(dns)
  const registry =
    rdapUrl === null ? null : openRegistry({ url: rdapUrl, redirectsAbroad: rdapRedirects })

  const watched = <T extends Answer>(
    name: string,
    limits: ProbeLimits,
    ask: (name: string) => Promise<T>,
    keepMs: (answer: T) => number,
  ): Watched<T> => {
    const counted = metrics.networkProbe(name)
    const probe = openProbe({ ask, keepMs, limits, now, onBreaker: counted.showBreaker })
    return { ...probe, metrics: counted }
  }
  const mx =
    names &&
    watched(
      "mx",
      NAMES,
      async (domain) => {
        const servers = await mailServers(names, domain)
        // Nobody waits for it: what is learnt of this host is for the next one.
        if (learning !== undefined)
          void Promise.resolve(addressesOf(servers)).then((addresses) =>
            learning.noticed(domain, comparedOf(servers, addresses)),
          )
        return servers
      },
      ({ accepts_mail }) => (accepts_mail ? KEEP_MS.mail : KEEP_MS.noMail),
    )
  const addresses =
    names && learning
      ? watched(
          "mail_address",
          NAMES,
          (server) => mailAddresses(names, server),
          () => KEEP_MS.mail,
        )
      : null
  const policy =
    names &&
    watched(
      "mail_policy",
      NAMES,
      (domain) => mailPolicy(names, domain),
      () => KEEP_MS.mailPolicy,
    )
  const registration =
    registry &&
    watched("registration", REGISTRY, registry.registration, ({ date }) =>
      date === null ? KEEP_MS.noRegistration : KEEP_MS.registration,
    )

  /**
   * The addresses of the servers worth learning from. Most are known, since many hosts share a
   * server.
   */
  const addressesOf = (servers: Known<MailServers>): Coming<MailAddresses> => {
    if (addresses === null || servers.status !== "answered") return UNASKED
    const found = learnable(servers).map((server) => addresses.find(server))
    if (found.length === 0) return UNASKED
    const ready = found.flatMap((each) => (each instanceof Promise ? [] : [each]))
    if (ready.length === found.length) return joined(ready)
    return Promise.all(found.map((each) => Promise.resolve(each))).then(joined)
  }

  const known = (
    domain: string,
    servers: Known<MailServers>,
    places: Known<MailAddresses>,
    posture: Known<MailPolicy>,
    registered: Known<Registration>,
    nowMs: number,
  ): DomainNetwork => {
    count(mx, servers)
    count(addresses, places)
    count(policy, posture)
    count(registration, registered)
    const disposableServer = learning?.marking.markOf(domain, comparedOf(servers, places)) ?? null
    const date = registered.status === "answered" ? registered.date : null
    return {
      mx: servers.status === "answered" ? servers.accepts_mail : null,
      domainAge: date === null ? null : wholeDays(date, nowMs),
      disposableServer,
      coverage:
        (servers.status === "answered" ? 0.2 : 0) + (registered.status === "answered" ? 0.2 : 0),
      explained: {
        mx: {
          ...withoutExchanges(servers),
          ...(disposableServer && { disposable_server: disposableServer }),
        },
        mail_policy: posture,
        registration: registered,
      },
    }
  }

  /** All run together, so they share one budget. A later answer is there for the next request. */
  const inTime = async (
    domain: string,
    servers: Coming<MailServers>,
    places: Coming<MailAddresses>,
    posture: Coming<MailPolicy>,
    registered: Coming<Registration>,
    nowMs: number,
  ): Promise<DomainNetwork> => {
    const { promise: over, resolve } = Promise.withResolvers<typeof LATE>()
    const timer = setTimeout(() => resolve(LATE), networkBudgetMs)
    const heard = await Promise.all([
      Promise.race([servers, over]),
      Promise.race([places, over]),
      Promise.race([posture, over]),
      Promise.race([registered, over]),
    ])
    clearTimeout(timer)
    return known(domain, ...heard, nowMs)
  }

  return {
    look(domain, nowMs) {
      const servers = mx === null ? OFF : mx.find(domain)
      const places = servers instanceof Promise ? servers.then(addressesOf) : addressesOf(servers)
      const posture = policy === null ? OFF : policy.find(domain)
      const registered = registration === null ? OFF : askRegistry(registration, domain)
      if (
        servers instanceof Promise ||
        places instanceof Promise ||
        posture instanceof Promise ||
        registered instanceof Promise
      )
        return inTime(domain, servers, places, posture, registered, nowMs)
      return known(domain, servers, places, posture, registered, nowMs)
    },
    close() {
      for (const each of [mx, addresses, policy, registration]) each?.close()
      names?.close()
      registry?.close()
    },
  }
}

/** The preferred servers that say something about the hosts they serve. */
function learnable({ exchanges }: MailServers): readonly string[] {
  return exchanges.slice(0, EXCHANGES_MAX).filter(isLearnableServer)
}

function joined(found: readonly (MailAddresses | Failed)[]): MailAddresses | Failed {
  const answered = found.filter((each) => each.status === "answered")
  if (answered.length === 0) return FAILED
  return { status: "answered", addresses: answered.flatMap(({ addresses }) => addresses) }
}

/** What is compared with what was learnt: names and addresses of servers. */
function comparedOf(servers: Known<MailServers>, places: Known<MailAddresses>): string[] {
  return [
    ...(servers.status === "answered" ? learnable(servers) : []),
    ...(places.status === "answered" ? places.addresses : []),
  ]
}

/** Leaves out the servers' names, which mean nothing to a reader. */
function withoutExchanges(servers: Known<MailServers>): object {
  if (servers.status !== "answered") return servers
  const { exchanges: _, ...rest } = servers
  return rest
}

/** The registry of a suffix registers others under it, and has no date for it. */
function askRegistry(probe: Probe<Registration>, domain: string): Coming<Registration> {
  const registered = registrableDomain(domain)
  return registered === null ? UNASKED : probe.find(registered.domain)
}

function count(
  watched: { readonly metrics: ProbeMetrics } | null,
  { status }: Known<Answer>,
): void {
  if (watched === null || status === "off" || status === "unasked") return
  watched.metrics.count(status)
}

/** Between UTC dates, as the model counts ages: an answer is the same all day. */
function wholeDays(date: string, nowMs: number): number {
  return Math.max(0, Math.floor(nowMs / DAY_MS) - Math.floor(Date.parse(date) / DAY_MS))
}
