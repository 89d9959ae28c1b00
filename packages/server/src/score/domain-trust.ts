import { handleScore, type Trust } from "@assay/core/score"
import type { ParsedEmail } from "@assay/core/identity"
import type { Lists } from "./lists.ts"

/** What the address itself and the lists tell, without asking anybody. */
export interface DomainTrust {
  readonly masked: boolean | undefined
  readonly disposable: boolean | undefined
  readonly disposableDomainAge: number | undefined
  readonly free: boolean | undefined
  readonly toxicDomain: boolean | undefined
  readonly typosquat: boolean | undefined
  readonly role: boolean | undefined
  readonly handle: number | undefined
  /** A single bulk list is no verdict but a weak entry of a block list. */
  readonly blocklist: NonNullable<Trust["blocklist"]>
  /** For the explanation: which lists said so. */
  readonly told: Readonly<Record<string, unknown>>
}

const NO_ENTRIES: NonNullable<Trust["blocklist"]> = []

export function domainTrust(parsed: ParsedEmail, lists: Lists): DomainTrust {
  const entry = lists.find(parsed.domain)
  const category = entry?.category
  return {
    masked: category === "masked" ? true : undefined,
    disposable: category === "disposable" ? true : undefined,
    disposableDomainAge: undefined,
    free: category === "free" ? true : undefined,
    toxicDomain: category === "toxic" ? true : undefined,
    typosquat: undefined,
    role: undefined,
    handle: category === "masked" ? undefined : (handleScore(parsed.local) ?? undefined),
    blocklist: NO_ENTRIES,
    told: entry === null ? {} : { category: entry.category, origin: entry.origin },
  }
}
