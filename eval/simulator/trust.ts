import { handleScore, type EmailCoverage, type Exposure, type Trust } from "@assay/core/score"
import type { Random } from "../random.ts"
import { generatedLocalPart, humanLocalPart } from "./handles.ts"
import type { Person } from "./person.ts"
import { trust as rates, YEAR_DAYS } from "./rates.ts"

export interface SeenTrust {
  readonly trust: Trust
  readonly coverage: EmailCoverage
}

/** What was looked up about the address and the request. What was not looked up is null. */
export function seenTrust(
  person: Person,
  exposures: readonly Exposure[],
  random: Random,
): SeenTrust {
  const network = random.chance(rates.networkLookedUp)
  const verification = random.chance(rates.verificationKnown)
  const context = random.chance(rates.contextGiven)
  const history = random.chance(rates.historyKnown)
  return {
    trust: {
      ...domainTrust(person, network, random),
      ...mailboxTrust(person, exposures, random),
      ...(verification ? verificationTrust(person, random) : {}),
      ...(context ? contextTrust(person, random) : {}),
      ...(history ? historyTrust(person, random) : {}),
    },
    coverage: {
      credential: 1,
      darkweb: 1,
      trust: rates.listCoverage + (network ? 0.4 : 0) + (verification ? 0.2 : 0),
      bot: (context ? 0.5 : 0) + (history ? 0.5 : 0),
    },
  }
}

const ratesOf = ({ abuser }: Person): typeof rates.abuser | typeof rates.honest =>
  abuser ? rates.abuser : rates.honest

function domainTrust(person: Person, network: boolean, random: Random): Trust {
  const { domain, abuser } = person
  const disposable = domain === "disposable" && random.chance(rates.disposableListed)
  const registered = domain === "own" || domain === "unlisted"
  return {
    free: domain === "free" ? true : registered ? false : null,
    disposable,
    disposableDomainAge:
      disposable && random.chance(0.5) ? Math.floor(random.exponential(60)) : null,
    masked: domain === "masked",
    typosquat: registered && random.chance(ratesOf(person).lookalike),
    mx: network ? true : null,
    domainAge: network && registered ? Math.floor(domainDays(person, random)) : null,
    role: domain === "own" && random.chance(abuser ? 0.05 : 0.08),
  }
}

function domainDays(person: Person, random: Random): number {
  return random.chance(ratesOf(person).youngDomain)
    ? random.exponential(40)
    : YEAR_DAYS + random.exponential(8 * YEAR_DAYS)
}

function mailboxTrust(person: Person, exposures: readonly Exposure[], random: Random): Trust {
  const oldest = exposures.reduce((days, { age }) => Math.max(days, age), -1)
  // Somebody saw the address before, though rarely on its first day.
  const seen = random.chance(rates.ageKnown) ? person.mailboxDays * random.between(0.6, 1) : -1
  const days = Math.floor(Math.max(oldest, seen))
  const generated = random.chance(ratesOf(person).generatedHandle)
  const scored = person.domain !== "own" && person.domain !== "masked"
  const localPart = generated ? generatedLocalPart(random) : humanLocalPart(random)
  return {
    emailAge: days < 0 ? null : days,
    traces: random.chance(rates.tracesLookedUp) ? random.poisson(ratesOf(person).tracesMean) : null,
    handle: scored ? handleScore(localPart) : null,
    blocklist: random.chance(ratesOf(person).blocklisted)
      ? [{ conf: 0.7, age: random.below(YEAR_DAYS) }]
      : null,
  }
}

function verificationTrust(person: Person, random: Random): Trust {
  const deliverable = random.chance(ratesOf(person).deliverable)
  return {
    deliverable,
    ownershipVerified: deliverable && random.chance(ratesOf(person).verified),
  }
}

function contextTrust(person: Person, random: Random): Trust {
  const { burst, burstMean, instant, cluster, anomalyMax } = ratesOf(person)
  return {
    velocity24h: random.chance(burst) ? 1 + random.poisson(burstMean) : 1,
    signupToActionSec: random.chance(instant)
      ? random.between(2, 60)
      : random.exponential(2 * 86_400),
    clusterSize: random.chance(cluster) ? 5 + random.poisson(3) : 1,
    anomaly: random.between(0, anomalyMax),
  }
}

function historyTrust(person: Person, random: Random): Trust {
  const good = random.chance(ratesOf(person).goodHistory)
  return { goodHistoryDays: good ? Math.floor(random.exponential(YEAR_DAYS)) : 0 }
}
