import { createPrivateKey, type KeyObject, randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import type { Explained } from "@assay/runtime/explained"
import { settingsFault } from "../../../settings/settings-file.ts"
import type { CarrierSettings } from "./camara-settings.ts"

type Algorithm = NonNullable<CarrierSettings["algorithm"]>

export interface ClientKey {
  /** A client assertion (RFC 7523) for one request of a token. */
  assertion(nowMs: number): Promise<string>
}

type KeySettings = Pick<
  CarrierSettings,
  "name" | "client_id" | "private_key_file" | "key_id" | "algorithm" | "audience" | "token_url"
>

/** CAMARA allows 300 seconds, by the carrier's clock. A minute is plenty for one request. */
const LIFE_SECONDS = 60
/**
 * A carrier whose clock is a little behind takes an assertion from its future for a wrong one.
 */
const BACKDATED_SECONDS = 5
const RSA_BITS_MIN = 2048

/**
 * Reads the private key once. Throws `settingsFault` where it cannot sign what the settings
 * ask for.
 */
export function readClientKey(carrier: KeySettings): ClientKey {
  const { key, kid } = readKey(carrier)
  const algorithm = algorithmFor(key, carrier)
  const keyId = carrier.key_id ?? kid
  const header = keyId === undefined ? { alg: algorithm } : { alg: algorithm, kid: keyId }
  const { client_id: client } = carrier
  const audience = carrier.audience ?? carrier.token_url
  return {
    async assertion(nowMs) {
      // Loaded when a carrier is asked: settings are checked in processes that ask none.
      const { SignJWT } = await import("jose")
      const issuedAt = Math.floor(nowMs / 1000) - BACKDATED_SECONDS
      return await new SignJWT()
        .setProtectedHeader({ ...header, typ: "JWT" })
        .setIssuer(client)
        .setSubject(client)
        .setAudience(audience)
        .setJti(randomUUID())
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + LIFE_SECONDS)
        .sign(key)
    },
  }
}

function readKey(carrier: KeySettings): { key: KeyObject; kid: string | undefined } {
  try {
    const text = readFileSync(carrier.private_key_file, "utf8")
    if (!text.trimStart().startsWith("{")) return { key: createPrivateKey(text), kid: undefined }
    const jwk = JSON.parse(text) as Record<string, unknown>
    const { kid } = jwk
    return {
      key: createPrivateKey({ key: jwk, format: "jwk" }),
      kid: typeof kid === "string" ? kid : undefined,
    }
  } catch {
    // What a parser of keys throws may quote the key.
    throw refusal(carrier, "holds no private key, in PEM (PKCS #8) or as a JWK")
  }
}

/** The configured algorithm, or else the one every server takes for a key of this kind. */
function algorithmFor(key: KeyObject, carrier: KeySettings): Algorithm {
  const kind = key.asymmetricKeyType
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
  const elliptic = kind === "ec" && namedCurve === "prime256v1"
  if (!elliptic && (kind !== "rsa" || modulusLength < RSA_BITS_MIN))
    throw refusal(carrier, `takes a key on P-256, or of RSA with ${RSA_BITS_MIN} bits or more`)
  const algorithm = carrier.algorithm ?? (elliptic ? "ES256" : "RS256")
  if ((algorithm === "ES256") !== elliptic)
    throw refusal(carrier, `holds a key that cannot sign ${algorithm}`)
  return algorithm
}

function refusal({ name }: KeySettings, sentence: string): Explained {
  return settingsFault(`at private_key_file of carrier ${name}: ${sentence}`)
}
