import type { ParsedDomain } from "@assay/core/identity"
import type { RegistrableDomain } from "./registrable-domain.ts"
import { isAscii, skeletonOf } from "./skeleton.ts"

/** How the part of a domain that somebody registered reads to a person. */
export interface DomainLooks {
  /** In ASCII, as it is stored and compared. */
  readonly registered: string
  readonly suffix: string
  /** The label before the suffix; for a name outside ASCII its skeleton, as a reader sees it. */
  readonly name: string
  /** After UTS #39: names with the same skeleton are hard to tell apart by eye. */
  readonly skeleton: string
  readonly nameSkeleton: string
  readonly isAscii: boolean
}

/** null for a public suffix. */
export function looksOf(
  { domain, unicodeDomain }: ParsedDomain,
  registrable: RegistrableDomain | null,
): DomainLooks | null {
  if (registrable === null) return null
  const registered = domain.slice(registrable.start)
  const labels = registered.split(".").length
  const shown = unicodeDomain.split(".").slice(-labels).join(".")
  const skeleton = skeletonOf(shown)
  // No letter is folded to a dot, so skeleton and name have the same labels.
  const nameSkeleton = skeleton.slice(0, skeleton.indexOf("."))
  const plain = isAscii(shown)
  return {
    registered,
    suffix: registrable.suffix,
    name: plain ? registrable.name : nameSkeleton,
    skeleton,
    nameSkeleton,
    isAscii: plain,
  }
}
