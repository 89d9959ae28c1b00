import { handleScore, type Trust } from "@assay/core/score"
import type { ParsedEmail } from "@assay/core/identity"
import { isRoleMailbox } from "../lists/role-mailboxes.ts"
import { DAY_MS } from "../time.ts"
import type { DomainTold, Lists } from "./lists.ts"

/** What the address itself and the lists tell, without asking anybody. */
export interface DomainTrust {
  readonly masked: boolean | undefined
  readonly disposable: boolean | undefined
  readonly disposableDomainAge: number | undefined
  /** False where the lists were asked and none has it as free mail. */
  readonly free: boolean | undefined
  readonly toxicDomain: boolean | undefined
  readonly typosquat: boolean | undefined
  readonly role: boolean | undefined
  readonly handle: number | undefined
  /** A single bulk list is no verdict but a weak entry of a block list. */
  readonly blocklist: NonNullable<Trust["blocklist"]>
  /** For the explanation: which lists said so. */
  readonly told: DomainTold
}

export function domainTrust(parsed: ParsedEmail, lists: Lists, nowMs: number): DomainTrust {
  const { category, toxic, firstSeenMs, imitates, blocklist, told } = lists.about(parsed)
  const role = isRoleMailbox(parsed.local)
  return {
    masked: category === "masked" ? true : undefined,
    disposable: category === "disposable" ? true : undefined,
    disposableDomainAge: firstSeenMs === null ? undefined : daysBetween(firstSeenMs, nowMs),
    free: category === "free",
    toxicDomain: toxic ? true : undefined,
    typosquat: imitates === null ? undefined : true,
    role: role ? true : undefined,
    // A relay made the local part, not its user.
    handle: category === "masked" ? undefined : (handleScore(parsed.local) ?? undefined),
    blocklist,
    told: role ? { ...told, role } : told,
  }
}

/** Whole days between UTC dates, so that an answer is the same all day. */
function daysBetween(thenMs: number, nowMs: number): number {
  return Math.max(0, Math.floor(nowMs / DAY_MS) - Math.floor(thenMs / DAY_MS))
}
