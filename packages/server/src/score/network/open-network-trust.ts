import type { Config } from "../../config.ts"
import type { Metrics, ProbeMetrics } from "../../health/metrics.ts"
import { registrableDomain } from "../../lists/registrable-domain.ts"
import { DAY_MS } from "../../time.ts"
import { type DomainNetwork, type NetworkTrust, networkTrustOff } from "../network-trust.ts"
import { KEEP_MS, NAMES, REGISTRY } from "./limits.ts"
import { mailPolicy, type MailPolicy } from "./mail-policy.ts"
import { mailServers, type MailServers } from "./mail-servers.ts"
import { openNameService } from "./name-service.ts"
import { type Answer, type Failed, openProbe, type Probe, type ProbeLimits } from "./probe.ts"
import { openRegistry, type Registration } from "./registration.ts"

export interface NetworkTrustOptions {
  readonly config: Pick<Config, "dns" | "rdapUrl" | "rdapRedirects" | "networkBudgetMs">
  readonly metrics: Pick<Metrics, "networkProbe">
  /** A clock that never goes back: it times pauses and caches, and dates nothing. */
  readonly now?: () => number
}

const OFF = { status: "off" } as const
const UNASKED = { status: "unasked" } as const
const LATE = { status: "late" } as const

/** What is known of one kind of look-up when the answer has to be given. */
type Known<T extends Answer> = T | Failed | typeof OFF | typeof UNASKED | typeof LATE
/** The same, or the promise of it. */
type Coming<T extends Answer> = Known<T> | Promise<Known<T>>

/** A probe, and what is counted of it. */
interface Watched<T extends Answer> extends Probe<T> {
  readonly metrics: ProbeMetrics
}

/** Look-ups over the network as configured. Nothing is opened, and nobody asked, where nothing is. */
export function openNetworkTrust({
  config,
  metrics,
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
      (domain) => mailServers(names, domain),
      ({ accepts_mail }) => (accepts_mail ? KEEP_MS.mail : KEEP_MS.noMail),
    )
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

  const known = (
    servers: Known<MailServers>,
    posture: Known<MailPolicy>,
    registered: Known<Registration>,
    nowMs: number,
  ): DomainNetwork => {
    count(mx, servers)
    count(policy, posture)
    count(registration, registered)
    const date = registered.status === "answered" ? registered.date : null
    return {
      mx: servers.status === "answered" ? servers.accepts_mail : null,
      domainAge: date === null ? null : wholeDays(date, nowMs),
      coverage:
        (servers.status === "answered" ? 0.2 : 0) + (registered.status === "answered" ? 0.2 : 0),
      told: { mx: servers, mail_policy: posture, registration: registered },
    }
  }

  /** All three are under way together, so the budget is one for all. What comes later is there for the next request. */
  const inTime = async (
    servers: Coming<MailServers>,
    posture: Coming<MailPolicy>,
    registered: Coming<Registration>,
    nowMs: number,
  ): Promise<DomainNetwork> => {
    const { promise: over, resolve } = Promise.withResolvers<typeof LATE>()
    const timer = setTimeout(() => resolve(LATE), networkBudgetMs)
    const heard = await Promise.all([
      Promise.race([servers, over]),
      Promise.race([posture, over]),
      Promise.race([registered, over]),
    ])
    clearTimeout(timer)
    return known(...heard, nowMs)
  }

  return {
    look(domain, nowMs) {
      const servers = mx === null ? OFF : mx.find(domain)
      const posture = policy === null ? OFF : policy.find(domain)
      const registered = registration === null ? OFF : askRegistry(registration, domain)
      if (servers instanceof Promise || posture instanceof Promise || registered instanceof Promise)
        return inTime(servers, posture, registered, nowMs)
      return known(servers, posture, registered, nowMs)
    },
    close() {
      for (const each of [mx, policy, registration]) each?.close()
      names?.close()
      registry?.close()
    },
  }
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
