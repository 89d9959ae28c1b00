import { generateKeyPair } from "node:crypto"
import { promisify } from "node:util"
import { exportJWK } from "jose"
import type { TrialClient } from "./token-endpoint.ts"

/** A client as the carrier registers it, and the key by which it says who it is. */
export interface TrialClientKeys {
  readonly client: TrialClient
  readonly keyId: string
  /** PKCS #8 in PEM. */
  readonly privateKeyPem: string
}

/** Makes a client with a new key for ES256. */
export async function makeTrialClient(
  clientId: string,
  scopes?: readonly string[],
): Promise<TrialClientKeys> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("ec", { namedCurve: "P-256" })
  const keyId = `${clientId}-1`
  const key = { ...(await exportJWK(publicKey)), kid: keyId, alg: "ES256", use: "sig" }
  return {
    client: { clientId, jwks: { keys: [key] }, ...(scopes && { scopes }) },
    keyId,
    privateKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }),
  }
}
