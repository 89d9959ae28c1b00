import { createPublicKey, generateKeyPairSync } from "node:crypto"
import type { TrialClient } from "./token-endpoint.ts"

/** A client as the carrier registers it, and the key by which it authenticates. */
export interface TrialClientKeys {
  readonly client: TrialClient
  readonly keyId: string
  /** PKCS #8 in PEM. */
  readonly privateKeyPem: string
}

/** A new private key for ES256, PKCS #8 in PEM. */
export function makePrivateKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return privateKey.export({ type: "pkcs8", format: "pem" })
}

/** A client with this key, which may have these scopes, or all there are. */
export function trialClient(
  clientId: string,
  privateKeyPem: string,
  scopes?: readonly string[],
): TrialClientKeys {
  const keyId = `${clientId}-1`
  const publicKey = createPublicKey(privateKeyPem).export({ format: "jwk" })
  const jwks = { keys: [{ ...publicKey, kty: "EC", kid: keyId, alg: "ES256", use: "sig" }] }
  return { client: { clientId, jwks, ...(scopes && { scopes }) }, keyId, privateKeyPem }
}

/** A client with a new key. */
export async function makeTrialClient(
  clientId: string,
  scopes?: readonly string[],
): Promise<TrialClientKeys> {
  return trialClient(clientId, makePrivateKey(), scopes)
}
