import { randomUUID } from "node:crypto"
import { importPKCS8, SignJWT } from "jose"
import type { TrialCarrier } from "../src/open-trial-carrier.ts"
import type { TrialClientKeys } from "../src/trial-client.ts"

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

export interface AssertionChanges {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly algorithm?: string
  readonly keyId?: string
  /** Of another client, to sign with a key that is not registered. */
  readonly privateKeyPem?: string
}

/** An assertion as a carrier takes it, with whatever a test makes different. */
export async function assertionFor(
  { tokenUrl }: TrialCarrier,
  { client: { clientId }, keyId, privateKeyPem }: TrialClientKeys,
  changes: AssertionChanges = {},
): Promise<string> {
  const algorithm = changes.algorithm ?? "ES256"
  const key = await importPKCS8(changes.privateKeyPem ?? privateKeyPem, algorithm)
  const nowSeconds = Math.floor(Date.now() / 1000)
  const claims = {
    iss: clientId,
    sub: clientId,
    aud: tokenUrl,
    jti: randomUUID(),
    iat: nowSeconds,
    exp: nowSeconds + 120,
    ...changes.claims,
  }
  return await new SignJWT(claims)
    .setProtectedHeader({ alg: algorithm, kid: changes.keyId ?? keyId })
    .sign(key)
}

export async function askToken(
  carrier: TrialCarrier,
  assertion: string,
  form: Readonly<Record<string, string>>,
): Promise<RawAnswer> {
  const response = await fetch(carrier.tokenUrl, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: assertion,
      ...form,
    }),
  })
  return await rawAnswer(response)
}

/** A token for scopes that are separated by spaces. */
export async function tokenFor(
  carrier: TrialCarrier,
  keys: TrialClientKeys,
  scope: string,
): Promise<string> {
  const { status, body } = await askToken(carrier, await assertionFor(carrier, keys), { scope })
  if (status !== 200) throw new Error(`The token endpoint answered ${status}`)
  return (body as { access_token: string }).access_token
}

export async function callApi(
  carrier: TrialCarrier,
  method: string,
  path: string,
  token: string | null,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  const response = await fetch(carrier.url + path, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    redirect: "manual",
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })
  return await rawAnswer(response)
}

async function rawAnswer(response: Response): Promise<RawAnswer> {
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
  const { status, headers } = response
  return { status, headers, body: isJson ? JSON.parse(text) : text }
}
