import type { Secrets } from "@assay/runtime/secrets"
import { parseEmail } from "@assay/core/identity"
import { openKeyedHash, openSealer, type Sealer } from "../accounts/sealed.ts"
import { Problem } from "../base/problem.ts"

/** How what is kept of people is made unreadable, and found. */
export interface SealedPeople {
  readonly address: Sealer
  readonly addressHash: (address: string) => Uint8Array
  /** Of accounts at a provider. */
  readonly outsideHash: (account: string) => Uint8Array
  readonly totp: Sealer
  readonly recoveryHash: (code: string) => Uint8Array
  /** Cookies of browsers that signed somebody in. */
  readonly device: Sealer
}

export function openSealedPeople({ subkeys }: Pick<Secrets, "subkeys">): SealedPeople {
  const subkey = subkeys["sealed-identity"]
  return {
    address: openSealer(subkey, "address"),
    addressHash: openKeyedHash(subkey, "address"),
    outsideHash: openKeyedHash(subkey, "outside account"),
    totp: openSealer(subkey, "totp"),
    recoveryHash: openKeyedHash(subkey, "recovery"),
    device: openSealer(subkey, "device"),
  }
}

/** An address as it is compared; throws a Problem for what is none. */
export function addressOf(text: string): string {
  const parsed = parseEmail(text)
  if ("fault" in parsed) throw new Problem("not-an-email", parsed.detail)
  return parsed.exact
}

/** For people who see to others: enough to recognise somebody by. */
export function addressIn(sealed: Uint8Array, { address }: Pick<SealedPeople, "address">): string {
  // Sealed under another secret: the person is there, and how to write to them is not known.
  return address.open(sealed) ?? "unknown"
}
