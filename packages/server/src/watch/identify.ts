import {
  aliasTag,
  IDENTITY_TAGS,
  identityKey,
  parseEmail,
  type ParsedEmail,
  parsePhone,
} from "@assay/core/identity"
import { type Secrets, sha256 } from "@assay/runtime/secrets"
import type { Caller } from "../accounts/callers.ts"
import { openSealedIdentities, type SealedIdentities } from "../accounts/sealed-identity.ts"
import { Problem } from "../base/problem.ts"
import { domainValues } from "../score/email/domain-trust.ts"
import { domainHash, keptDomain } from "../score/email/kept-domain.ts"
import type { Lists } from "../score/email/lists.ts"
import { ownDomains } from "../score/email/lists/own-domains.ts"
import type { DomainNetwork, NetworkTrust } from "../score/network-trust.ts"
import { keptEmail, keptPhone } from "./kept-values.ts"
import { valuesVersion } from "./values-version.ts"
import type { WatchedIdentity } from "./watch-list.ts"

/** What a caller wants watched. */
export interface Wanted {
  readonly type: "email" | "phone"
  readonly value: string
  readonly ref: string | null
  readonly deliverIdentity: boolean
}

export interface IdentifyServices {
  readonly secrets: Secrets
  readonly lists: Lists
  readonly network: NetworkTrust
  readonly now: () => number
}

/** Turns an identity into what is kept of it. Throws a Problem for what is none. */
export type Identify = (
  wanted: Wanted,
  caller: Caller,
  tenantId: number,
) => WatchedIdentity | Promise<WatchedIdentity>

const REMEMBERED_MAX = 1_000

/** An address or a number is known from here to its answer, and only what is made here is kept. */
export function openIdentify({ secrets, lists, network, now }: IdentifyServices): Identify {
  const { subkeys } = secrets
  let identities: SealedIdentities | null = null
  const hashOf = domainHash(subkeys.identity)
  const sealed = ({ value, deliverIdentity }: Wanted, tenantId: number): Uint8Array | null => {
    if (!deliverIdentity) return null
    // Its key is derived when it is first needed: few tenants ask for this.
    identities ??= openSealedIdentities(subkeys["sealed-identity"])
    return identities.seal(value, tenantId)
  }

  // A sketch is some fifty hashes, and most addresses are at the same few domains.
  type Remembered = Pick<NonNullable<WatchedIdentity["domain"]>, "domainKey" | "kept">
  const remembered = new Map<string, Remembered>()
  const keptOf = (parsed: ParsedEmail): Remembered => {
    const known = remembered.get(parsed.domain)
    if (known !== undefined) return known
    const made = { domainKey: hashOf(parsed.domain), kept: { ...keptDomain(parsed, hashOf) } }
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    remembered.set(parsed.domain, made)
    return made
  }

  const email = (
    wanted: Wanted,
    parsed: ParsedEmail,
    seen: DomainNetwork,
    { domains }: Caller,
    tenantId: number,
  ): WatchedIdentity => {
    const key = identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, parsed.canonical)
    const values = domainValues(parsed, lists.about(parsed), domains && ownDomains(domains))
    return {
      identityType: "email",
      identityKey: key,
      aliasTag: aliasTag(sha256, subkeys.alias, key, parsed),
      ref: wanted.ref,
      sealed: sealed(wanted, tenantId),
      kept: keptEmail(parsed, seen, now()),
      domain: {
        ...keptOf(parsed),
        values: { ...values },
        version: valuesVersion(lists.version(), domains),
      },
    }
  }

  return (wanted, caller, tenantId) => {
    const { type, value, ref } = wanted
    if (type === "phone") {
      const parsed = parsePhone(value)
      if ("fault" in parsed) throw new Problem("not-a-phone-number", parsed.detail)
      return {
        identityType: "phone",
        identityKey: identityKey(sha256, subkeys.identity, IDENTITY_TAGS.phone, parsed.e164),
        aliasTag: 0,
        ref,
        sealed: sealed(wanted, tenantId),
        kept: keptPhone(parsed),
        domain: null,
      }
    }
    const parsed = parseEmail(value)
    if ("fault" in parsed) throw new Problem("not-an-email", parsed.detail)
    const looking = network.look(parsed.domain, now())
    return looking instanceof Promise
      ? looking.then((seen) => email(wanted, parsed, seen, caller, tenantId))
      : email(wanted, parsed, looking, caller, tenantId)
  }
}
