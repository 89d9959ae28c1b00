import type { ParsedDomain } from "@assay/core/identity"
import { readDataFile } from "./data-file.ts"
import type { DomainLooks } from "./domain-looks.ts"
import { isAscii, skeletonOf } from "./skeleton.ts"

/** A domain that is made to be read as another. */
export interface Homograph {
  /** null where one label mixes alphabets and is read as no domain we know. */
  readonly imitates: string | null
}

let known: ReadonlyMap<string, string> | undefined

/**
 * Domains that everybody knows, by skeleton. Made once, since making skeletons costs, and for the
 * first domain outside ASCII: most workers are started and stopped without one.
 */
function wellKnown(): ReadonlyMap<string, string> {
  // A Map keeps the last value, so providers win over sites with the same skeleton.
  known ??= new Map(
    [
      ...readDataFile(new URL("./popular-domains.csv", import.meta.url)),
      ...readDataFile(new URL("./masked-relays.csv", import.meta.url)),
      ...readDataFile(new URL("./mainstream-providers.csv", import.meta.url)),
    ].map(([domain = ""]) => [skeletonOf(domain), domain]),
  )
  return known
}

const LATIN = /\p{Script=Latin}/u
/** Alphabets with letters that are read as Latin ones. */
const READ_AS_LATIN =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u

/**
 * Whether a domain outside ASCII looks like one that everybody knows, or has a label of two
 * alphabets; null for all others. The caller has made sure that the domain is not well known
 * itself.
 */
export function homographOf(
  { unicodeDomain }: ParsedDomain,
  looks: DomainLooks | null,
): Homograph | null {
  if (isAscii(unicodeDomain)) return null
  const twin = looks === null || looks.isAscii ? undefined : wellKnown().get(looks.skeleton)
  if (twin !== undefined && twin !== looks?.registered) return { imitates: twin }
  return unicodeDomain.split(".").some(isMixed) ? { imitates: null } : null
}

function isMixed(label: string): boolean {
  return LATIN.test(label) && READ_AS_LATIN.test(label)
}
