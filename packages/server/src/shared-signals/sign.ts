import type { JWK } from "jose"
import { DAY_MS, MINUTE_MS } from "@assay/runtime/time"
import { newId } from "@assay/stores/event-id"
import type { SharedKey } from "@assay/stores/records-shared-signals"
import type { Sealer } from "../accounts/sealed.ts"

/** What private keys are sealed for. */
export const SIGNING_KEY = "shared signals key"
/** How long the key set may be remembered by whoever fetched it. */
export const KEYS_SECONDS = 300
/**
 * A new key is published for so long before it signs: longer than a key set is remembered, with
 * some minutes by which clocks of services on one database may differ.
 */
export const LEAD_MS = 15 * MINUTE_MS
/** How long the one before stays published: somebody may look at a token later. */
export const KEPT_MS = 7 * DAY_MS
/** A key signs for so long. */
export const AGE_MS = 90 * DAY_MS

const ALGORITHM = "RS256"
const BITS = 2048

/** A new pair of keys. */
export async function makeSharedKey(
  sealer: Sealer,
  at: { readonly createdAt: number; readonly signsFrom: number },
): Promise<SharedKey> {
  // Loaded where keys are made or sign: most services have no receiver.
  const { exportJWK, exportPKCS8, generateKeyPair } = await import("jose")
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM, {
    modulusLength: BITS,
    extractable: true,
  })
  const id = newId("sig_")
  const { kty, n, e } = await exportJWK(publicKey)
  return {
    id,
    sealed: sealer.seal(await exportPKCS8(privateKey), id),
    publicKey: { kty, n, e, kid: id, use: "sig", alg: ALGORITHM },
    ...at,
  }
}

/** The one that signs. `keys`: the oldest first, by when they sign. */
export function signingKey<K extends Pick<SharedKey, "signsFrom">>(
  keys: readonly K[],
  now: number,
): K | null {
  return keys.findLast(({ signsFrom }) => signsFrom <= now) ?? keys[0] ?? null
}

/** Those that nobody needs any more. */
export function outlivedKeys<K extends Pick<SharedKey, "signsFrom">>(
  keys: readonly K[],
  now: number,
): K[] {
  return keys.filter((_, n) => {
    const next = keys[n + 1]
    return next !== undefined && next.signsFrom + KEPT_MS <= now
  })
}

/** When a key that is added now may sign; null where one is waiting already. */
export function nextSignsFrom(
  keys: readonly Pick<SharedKey, "signsFrom">[],
  now: number,
): number | null {
  const newest = keys.at(-1)
  // Before the first one nobody can have fetched any.
  if (newest === undefined) return now
  return newest.signsFrom > now ? null : now + LEAD_MS
}

export function isRotationDue(keys: readonly Pick<SharedKey, "signsFrom">[], now: number): boolean {
  const newest = keys.at(-1)
  return newest === undefined || newest.signsFrom + AGE_MS <= now
}

/** As RFC 7517 has it: what signs, what will, and what did. */
export function publishedKeys(keys: readonly SharedKey[], now: number): JWK[] {
  const outlived = new Set(outlivedKeys(keys, now))
  return keys.filter((key) => !outlived.has(key)).map(({ publicKey }) => publicKey as JWK)
}

/** Signs by the key that signs at that moment. */
export type SignSet = (claims: Record<string, unknown>) => Promise<string>

interface SignerOptions {
  readonly keys: () => Promise<readonly SharedKey[]>
  readonly sealer: Sealer
  readonly now: () => number
}

/** The lead of a new key is much longer, so that no key is missed by remembering. */
const REMEMBERED_MS = 30_000

export function openSigner({ keys, sealer, now }: SignerOptions): SignSet {
  let known: { readonly at: number; readonly keys: readonly SharedKey[] } | null = null
  const opened = new Map<string, Promise<CryptoKey>>()

  const openKey = async (key: SharedKey): Promise<CryptoKey> => {
    const text = sealer.open(key.sealed, key.id)
    if (text === null) throw new Error("A key that signs cannot be opened")
    const { importPKCS8 } = await import("jose")
    return await importPKCS8(text, ALGORITHM)
  }

  return async (claims) => {
    const at = now()
    if (known === null || Math.abs(at - known.at) > REMEMBERED_MS)
      known = { at, keys: await keys() }
    const key = signingKey(known.keys, at)
    if (key === null) {
      known = null
      throw new Error("There is no key that signs")
    }
    let secret = opened.get(key.id)
    if (secret === undefined) {
      // One signs at a time.
      opened.clear()
      secret = openKey(key)
      opened.set(key.id, secret)
    }
    const { SignJWT } = await import("jose")
    return await new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, typ: "secevent+jwt", kid: key.id })
      .sign(await secret)
  }
}
