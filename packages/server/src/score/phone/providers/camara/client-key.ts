import { createPrivateKey, type KeyObject, randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { SignJWT } from "jose"
import { type OperatorSettings, ProviderSettingsError } from "../provider-settings.ts"

type Algorithm = NonNullable<OperatorSettings["algorithm"]>

export interface ClientKey {
  /** A client assertion (RFC 7523) for one request of a token. */
  assertion(nowMs: number): Promise<string>
}

type KeySettings = Pick<
  OperatorSettings,
  "name" | "client_id" | "private_key_file" | "key_id" | "algorithm" | "audience" | "token_url"
>

/** CAMARA allows 300 seconds, by the operator's clock. A minute is plenty for one request. */
const LIFE_SECONDS = 60
/**
 * An operator whose clock is a little behind takes an assertion from its future for a wrong one.
 */
const BACKDATED_SECONDS = 5
const RSA_BITS_MIN = 2048

/**
 * Reads the private key once. Throws `ProviderSettingsError` where it cannot sign what the settings
 * ask for.
 */
export function readClientKey(operator: KeySettings): ClientKey {
  const { key, kid } = readKey(operator)
  const algorithm = algorithmFor(key, operator)
  const keyId = operator.key_id ?? kid
  const header = keyId === undefined ? { alg: algorithm } : { alg: algorithm, kid: keyId }
  const { client_id: client } = operator
  const audience = operator.audience ?? operator.token_url
  return {
    assertion(nowMs) {
      const issuedAt = Math.floor(nowMs / 1000) - BACKDATED_SECONDS
      return new SignJWT()
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

function readKey(operator: KeySettings): { key: KeyObject; kid: string | undefined } {
  try {
    const text = readFileSync(operator.private_key_file, "utf8")
    if (!text.trimStart().startsWith("{")) return { key: createPrivateKey(text), kid: undefined }
    const jwk = JSON.parse(text) as Record<string, unknown>
    const { kid } = jwk
    return {
      key: createPrivateKey({ key: jwk, format: "jwk" }),
      kid: typeof kid === "string" ? kid : undefined,
    }
  } catch {
    // What a parser of keys throws may quote the key.
    throw refusal(operator, "holds no private key, in PEM (PKCS #8) or as a JWK")
  }
}

/** What is asked for, or else what every server takes for a key of this kind. */
function algorithmFor(key: KeyObject, operator: KeySettings): Algorithm {
  const kind = key.asymmetricKeyType
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
  const elliptic = kind === "ec" && namedCurve === "prime256v1"
  if (!elliptic && (kind !== "rsa" || modulusLength < RSA_BITS_MIN))
    throw refusal(operator, `takes a key on P-256, or of RSA with ${RSA_BITS_MIN} bits or more`)
  const algorithm = operator.algorithm ?? (elliptic ? "ES256" : "RS256")
  if ((algorithm === "ES256") !== elliptic)
    throw refusal(operator, `holds a key that cannot sign ${algorithm}`)
  return algorithm
}

function refusal({ name }: KeySettings, sentence: string): ProviderSettingsError {
  return new ProviderSettingsError(`at private_key_file of operator ${name}: ${sentence}`)
}
