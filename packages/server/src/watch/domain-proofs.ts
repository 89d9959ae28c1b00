import { type GuardedPosts, PostFailed } from "@assay/runtime/outbound/guarded-post"
import type { Deliveries } from "../http/feature.ts"
import { LookupFailure } from "../score/email/network/lookup-failure.ts"
import type { NameService } from "../score/email/network/name-service.ts"
import { proofRecord, proofUrl } from "./domain-proof.ts"

interface ProofOptions {
  /** null: name servers are not asked. */
  readonly names: Pick<NameService, "txt"> | null
  /** Refuses private addresses, and follows no redirect: what proves a domain is at the domain. */
  readonly posts: Pick<GuardedPosts, "get">
  /** A test has a server elsewhere. */
  readonly urlOf?: (domain: string) => string
}

/** Looks for a proof in the DNS, and then for the file. */
export function openDomainProofs({
  names,
  posts,
  urlOf = proofUrl,
}: ProofOptions): Deliveries["proofOf"] {
  async function isInDns(domain: string, token: string): Promise<boolean> {
    try {
      const found = await names?.txt(proofRecord(domain))
      return found?.some((text) => text.trim() === token) === true
    } catch (error) {
      if (error instanceof LookupFailure) return false
      throw error
    }
  }
  async function isInFile(domain: string, token: string): Promise<boolean> {
    try {
      const { status, body } = await posts.get(urlOf(domain), { accept: "text/plain" })
      return status === 200 && body.split(/\r?\n/).some((line) => line.trim() === token)
    } catch (error) {
      if (error instanceof PostFailed) return false
      throw error
    }
  }
  return async ({ domain, token }) => {
    if (await isInDns(domain, token)) return "dns"
    return (await isInFile(domain, token)) ? "file" : null
  }
}
