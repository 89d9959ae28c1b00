import type { ParsedEmail, ParsedPhone } from "@assay/core/identity"
import { DAY_MS } from "@assay/runtime/time"
import type { Json } from "@assay/stores/records-watch"
import { localValues, type LocalValues } from "../score/email/domain-trust.ts"
import type { DomainNetwork } from "../score/network-trust.ts"
import type { NumberValues } from "../score/phone/phone-evidence.ts"

/** What the network said of the domain of an address when it was added. */
interface KeptNetwork {
  readonly mx: boolean | null
  /** The UTC day, since 1970, on which the domain was registered. */
  readonly bornDay: number | null
  readonly disposableServer: string | null
  readonly coverage: number
}

/** What a score takes from a watched address, besides its domain. */
export interface KeptEmail {
  readonly local: LocalValues
  readonly network: KeptNetwork | null
}

/** What a score takes from a watched number. */
export interface KeptPhone {
  readonly number: NumberValues
}

export function keptEmail(parsed: ParsedEmail, network: DomainNetwork, nowMs: number): Json {
  const kept: KeptEmail = {
    local: localValues(parsed.local),
    network: network.coverage === 0 ? null : keptNetwork(network, nowMs),
  }
  return { ...kept }
}

export function keptPhone({ valid, numberType, region, special }: ParsedPhone): Json {
  const kept: KeptPhone = { number: { valid, numberType, region, special } }
  return { ...kept }
}

function keptNetwork(network: DomainNetwork, nowMs: number): KeptNetwork {
  const { mx, domainAge, disposableServer, coverage } = network
  const bornDay = domainAge === null ? null : dayNumber(nowMs) - domainAge
  return { mx, bornDay, disposableServer, coverage }
}

const UNKNOWN: DomainNetwork = {
  mx: null,
  domainAge: null,
  disposableServer: null,
  coverage: 0,
  explained: {},
}

/** What the network said, with the age of the domain as it is now. */
export function networkOn({ network }: KeptEmail, nowMs: number): DomainNetwork {
  if (network === null) return UNKNOWN
  const { mx, bornDay, disposableServer, coverage } = network
  const domainAge = bornDay === null ? null : Math.max(0, dayNumber(nowMs) - bornDay)
  return { mx, domainAge, disposableServer, coverage, explained: {} }
}

function dayNumber(ms: number): number {
  return Math.floor(ms / DAY_MS)
}
