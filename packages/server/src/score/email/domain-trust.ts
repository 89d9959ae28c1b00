import { handleOf, type Trust } from "@assay/core/score"
import type { ParsedEmail } from "@assay/core/identity"
import { likenessToOwn, type OwnDomains } from "./lists/own-domains.ts"
import { isRoleMailbox } from "./lists/role-mailboxes.ts"
import { DAY_MS } from "@assay/runtime/time"
import type { DomainExplanation, DomainFacts, Lists } from "./lists.ts"

/** What the address itself and the lists show, without asking anybody. */
export interface DomainTrust {
  readonly masked: boolean | undefined
  readonly disposable: boolean | undefined
  readonly disposableDomainAge: number | undefined
  /** One list alone says so. */
  readonly disposableLikely: boolean | undefined
  /** No list calls it disposable or vouches for it, so its mail servers may decide. */
  readonly isOpen: boolean
  /** False where the lists were asked and none has it as free mail. */
  readonly free: boolean | undefined
  readonly toxicDomain: boolean | undefined
  readonly typosquat: boolean | undefined
  readonly homograph: boolean | undefined
  /** The domain that is imitated in either way. */
  readonly imitates: string | undefined
  readonly role: boolean | undefined
  readonly handle: number | undefined
  readonly localLength: number | undefined
  /** A single bulk list is no verdict but a weak entry of a block list. */
  readonly blocklist: NonNullable<Trust["blocklist"]>
  /** For the explanation: which lists said so. */
  readonly explained: DomainExplanation
}

/** `own`: the domains of the tenant who asks, or null where none are set. */
export function domainTrust(
  parsed: ParsedEmail,
  lists: Lists,
  own: OwnDomains | null,
  nowMs: number,
): DomainTrust {
  const facts = lists.about(parsed)
  const { category, toxic, firstSeenMs } = facts
  const { typosquat, homograph, imitates } = imitationOf(parsed.domain, facts, own)
  const role = isRoleMailbox(parsed.local)
  // A relay made the local part, not its user.
  const handle = category === "masked" ? null : handleOf(parsed.local)
  return {
    masked: category === "masked" ? true : undefined,
    disposable: category === "disposable" ? true : undefined,
    disposableDomainAge: firstSeenMs === null ? undefined : daysBetween(firstSeenMs, nowMs),
    disposableLikely: facts.disposableLikely ? true : undefined,
    isOpen: facts.standing === null,
    free: category === "free",
    toxicDomain: toxic ? true : undefined,
    typosquat: typosquat ? true : undefined,
    homograph: homograph ? true : undefined,
    imitates: imitates ?? undefined,
    role: role ? true : undefined,
    handle: handle?.score,
    localLength: handle?.length,
    blocklist: datedBlocklist(facts, nowMs),
    explained: explainedDomain(facts.explained, homograph, imitates, role),
  }
}

/** With name and age of the operator's list that refuses the domain, for the sentence. */
function datedBlocklist({ blocklist, deniedBy }: DomainFacts, nowMs: number) {
  if (deniedBy === null) return blocklist
  const { name, changedAtMs } = deniedBy
  const listedAge = daysBetween(changedAtMs, nowMs)
  return blocklist.map((entry) => ({ ...entry, name, listedAge }))
}

interface Imitation {
  readonly typosquat: boolean
  readonly homograph: boolean
  readonly imitates: string | null
}

const NO_IMITATION: Imitation = { typosquat: false, homograph: false, imitates: null }

/** Of the tenant's own domains first: who imitates those is after this tenant. */
function imitationOf(domain: string, facts: DomainFacts, own: OwnDomains | null): Imitation {
  const { known, looks, homograph, imitates } = facts
  const likeness = own === null || known ? null : likenessToOwn(domain, looks, own)
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
  explained: DomainExplanation,
  homograph: boolean,
  imitates: string | null,
  role: boolean,
): DomainExplanation {
  if (explained.homograph === homograph && explained.imitates === imitates && !role)
    return explained
  return { ...explained, homograph, imitates, role }
}

/** Whole days between UTC dates, so that an answer is the same all day. */
function daysBetween(thenMs: number, nowMs: number): number {
  return Math.max(0, Math.floor(nowMs / DAY_MS) - Math.floor(thenMs / DAY_MS))
}
