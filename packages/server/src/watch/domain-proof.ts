import { createHmac } from "node:crypto"
import type { WatchedDomain } from "@assay/core/contract"
import { parseEmail } from "@assay/core/identity"
import { DAY_MS } from "@assay/runtime/time"
import type { DomainWatch } from "@assay/stores/records-domain-watches"

/** How long a proof counts after it was last found. A name server may be away for some days. */
export const PROOF_MS = 7 * DAY_MS

const TOKEN_BYTES = 20

/**
 * What a tenant shows at a domain. It is the same whenever it is asked for, another one for every
 * tenant, and cannot be guessed: nobody but the tenant was told it.
 */
export function proofToken(subkey: Uint8Array, tenantId: number, domain: string): string {
  const proof = createHmac("sha256", subkey).update(`domain proof ${tenantId} ${domain}`).digest()
  return `assay-domain-verification=${proof.subarray(0, TOKEN_BYTES).toString("hex")}`
}

/** The domain that addresses at a domain are kept by: that of their mailboxes. */
export function mailDomain(domain: string): string {
  const parsed = parseEmail(`a@${domain}`)
  return "fault" in parsed ? domain : parsed.canonical.slice(parsed.canonical.lastIndexOf("@") + 1)
}

export function proofRecord(domain: string): string {
  return `_assay-challenge.${domain}`
}

export function proofUrl(domain: string): string {
  return `https://${domain}/.well-known/assay-domain-verification.txt`
}

/** From when on a proof counts. */
export function provedSince(nowMs: number): number {
  return nowMs - PROOF_MS
}

export function domainBody(
  { domain, ref, addedAt, provedAt, proof }: DomainWatch,
  token: string,
  asksNames: boolean,
  nowMs: number,
): WatchedDomain {
  const isProved = provedAt !== null && provedAt >= provedSince(nowMs)
  return {
    domain,
    ref,
    added_at: new Date(addedAt).toISOString(),
    state: isProved ? "proved" : "pending",
    proof,
    proved_at: provedAt === null ? null : new Date(provedAt).toISOString(),
    dns: asksNames ? { name: proofRecord(domain), value: token } : null,
    file: { url: proofUrl(domain), content: token },
  }
}
