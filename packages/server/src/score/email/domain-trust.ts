import { handleOf, type Trust } from "@assay/core/score"
import type { ParsedDomain, ParsedEmail } from "@assay/core/identity"
import { likenessToOwn, type OwnDomains, type OwnLikeness } from "./lists/own-domains.ts"
import { isRoleMailbox } from "./lists/role-mailboxes.ts"
import { DAY_MS } from "@assay/runtime/time"
import type { DomainExplanation, DomainFacts, Lists } from "./lists.ts"

/**
 * What a score takes from a domain: what the lists say of it, and what it is to the tenant who
 * asks. Plain, so that it can be kept where the domain itself is not.
 */
export interface DomainValues {
  readonly category: DomainFacts["category"]
  readonly firstSeenMs: number | null
  readonly disposableLikely: boolean
  /** No list calls it disposable or vouches for it, so its mail servers may decide. */
  readonly isOpen: boolean
  readonly toxic: boolean
  readonly typosquat: boolean
  readonly homograph: boolean
  /** The domain that is imitated in either way. */
  readonly imitates: string | null
  /** A single bulk list is no verdict but a weak entry of a block list. */
  readonly blocklist: DomainFacts["blocklist"]
  readonly deniedBy: DomainFacts["deniedBy"]
}

/** What a score takes from the part before the `@`: plain too. */
export interface LocalValues {
  readonly role: boolean
  /** null where it is in no alphabet whose names are known. */
  readonly handle: number | null
  readonly length: number | null
}

/** What the address itself and the lists show, without asking anybody. */
export interface DomainTrust {
  readonly masked: boolean | undefined
  readonly disposable: boolean | undefined
  readonly disposableDomainAge: number | undefined
  /** One list alone says so. */
  readonly disposableLikely: boolean | undefined
  readonly isOpen: boolean
  /** False where the lists were asked and none has it as free mail. */
  readonly free: boolean | undefined
  readonly toxicDomain: boolean | undefined
  readonly typosquat: boolean | undefined
  readonly homograph: boolean | undefined
  readonly imitates: string | undefined
  readonly role: boolean | undefined
  readonly handle: number | undefined
  readonly localLength: number | undefined
  readonly blocklist: NonNullable<Trust["blocklist"]>
}

/** For the explanation: which lists said so. */
export interface ExplainedTrust extends DomainTrust {
  readonly explained: DomainExplanation
}

/** `own`: the domains of the tenant who asks, or null where none are set. */
export function domainTrust(
  parsed: ParsedEmail,
  lists: Lists,
  own: OwnDomains | null,
  nowMs: number,
): ExplainedTrust {
  const facts = lists.about(parsed)
  const values = domainValues(parsed, facts, own)
  const local = localValues(parsed.local)
  return { ...trustOn(values, local, nowMs), explained: explainedDomain(facts, values, local) }
}

export function domainValues(
  { domain }: ParsedDomain,
  facts: DomainFacts,
  own: OwnDomains | null,
): DomainValues {
  const { known, looks } = facts
  return valuesOf(facts, own === null || known ? null : likenessToOwn(domain, looks, own))
}

/** `likeness`: to the tenant's own domains; null where there is none, or nobody would ask. */
export function valuesOf(
  facts: Omit<DomainFacts, "looks" | "explained">,
  likeness: OwnLikeness | null,
): DomainValues {
  const { category, firstSeenMs, disposableLikely, standing, toxic, blocklist, deniedBy } = facts
  return {
    category,
    firstSeenMs,
    disposableLikely,
    isOpen: standing === null,
    toxic,
    ...imitationOf(facts, likeness),
    blocklist,
    deniedBy,
  }
}

export function localValues(local: string): LocalValues {
  const handle = handleOf(local)
  return {
    role: isRoleMailbox(local),
    handle: handle === null ? null : handle.score,
    length: handle === null ? null : handle.length,
  }
}

/** The same for kept values as for the address they were taken from. */
export function trustOn(values: DomainValues, local: LocalValues, nowMs: number): DomainTrust {
  const { category, firstSeenMs } = values
  // A relay made the local part, not its user.
  const masked = category === "masked"
  return {
    masked: masked ? true : undefined,
    disposable: category === "disposable" ? true : undefined,
    disposableDomainAge: firstSeenMs === null ? undefined : daysBetween(firstSeenMs, nowMs),
    disposableLikely: values.disposableLikely ? true : undefined,
    isOpen: values.isOpen,
    free: category === "free",
    toxicDomain: values.toxic ? true : undefined,
    typosquat: values.typosquat ? true : undefined,
    homograph: values.homograph ? true : undefined,
    imitates: values.imitates ?? undefined,
    role: local.role ? true : undefined,
    handle: masked ? undefined : (local.handle ?? undefined),
    localLength: masked ? undefined : (local.length ?? undefined),
    blocklist: datedBlocklist(values, nowMs),
  }
}

/** With name and age of the operator's list that refuses the domain, for the sentence. */
function datedBlocklist({ blocklist, deniedBy }: DomainValues, nowMs: number) {
  if (deniedBy === null) return blocklist
  const { name, changedAtMs } = deniedBy
  const listedAge = daysBetween(changedAtMs, nowMs)
  return blocklist.map((entry) => ({ ...entry, name, listedAge }))
}

type Imitation = Pick<DomainValues, "typosquat" | "homograph" | "imitates">

const NO_IMITATION: Imitation = { typosquat: false, homograph: false, imitates: null }

/** Of the tenant's own domains first: who imitates those is after this tenant. */
function imitationOf(
  { homograph, imitates }: Pick<DomainFacts, "homograph" | "imitates">,
  likeness: OwnLikeness | null,
): Imitation {
  if (likeness?.own === true) return NO_IMITATION
  const ofOwn = likeness?.imitates ?? null
  return {
    typosquat: imitates !== null || ofOwn !== null,
    homograph: homograph !== null || likeness?.byLetters === true,
    imitates: ofOwn ?? homograph?.imitates ?? imitates,
  }
}

/** Most addresses add nothing to what is remembered of their domain. */
function explainedDomain(
  { explained }: DomainFacts,
  { homograph, imitates }: DomainValues,
  { role }: LocalValues,
): DomainExplanation {
  if (explained.homograph === homograph && explained.imitates === imitates && !role)
    return explained
  return { ...explained, homograph, imitates, role }
}

/** Whole days between UTC dates, so that an answer is the same all day. */
function daysBetween(thenMs: number, nowMs: number): number {
  return Math.max(0, Math.floor(nowMs / DAY_MS) - Math.floor(thenMs / DAY_MS))
}
