import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server"
import type { Credential, NewCredential } from "@assay/stores/records-people"
import { Problem } from "../base/problem.ts"

export type Json = Readonly<Record<string, unknown>>

/** Loaded when the first passkey is used: most starts see none. */
const library = () => import("@simplewebauthn/server")

const NAME = "Assay"
/**
 * A passkey must check the person itself, by a finger or a PIN: it is then two factors, and nothing
 * else is asked for. It must also know for whom it is, so that nobody types an address.
 */
const VERIFIED = { residentKey: "required", userVerification: "required" } as const

export interface PasskeyOwner {
  readonly id: string
  readonly name: string
  readonly email: string
}

export async function creationOptions(
  origin: string,
  owner: PasskeyOwner,
  own: readonly Credential[],
): Promise<{ challenge: string; options: Json }> {
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: NAME,
    rpID: hostOf(origin),
    userID: new Uint8Array(Buffer.from(owner.id)),
    userName: owner.email,
    userDisplayName: owner.name,
    attestationType: "none",
    excludeCredentials: own
      .filter(({ kind }) => kind === "passkey")
      .map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: VERIFIED,
  })
  return { challenge: options.challenge, options: { ...options } }
}

/** The credential that a browser made, or a Problem. */
export async function createdPasskey(
  { origin, challenge }: { readonly origin: string; readonly challenge: string },
  response: Json,
  label: string,
): Promise<NewCredential> {
  const { verifyRegistrationResponse } = await library()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: response as unknown as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: hostOf(origin),
    requireUserVerification: true,
  }).catch((cause: unknown) => {
    throw refused(cause)
  })
  if (!verified) throw refused(null)
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  return { id, kind: "passkey", secret: publicKey, counter, label, transports }
}

export async function requestOptions(
  origin: string,
): Promise<{ challenge: string; options: Json }> {
  const { generateAuthenticationOptions } = await library()
  // Without a list of passkeys: a browser offers its own, and nobody learns who has which.
  const options = await generateAuthenticationOptions({
    rpID: hostOf(origin),
    userVerification: "required",
  })
  return { challenge: options.challenge, options: { ...options } }
}

/** The new counter of a passkey that answered; null where the answer is not its own. */
export async function passkeyCounter(
  { origin, challenge }: { readonly origin: string; readonly challenge: string },
  response: Json,
  { id, secret, counter }: Credential,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await library()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: hostOf(origin),
      credential: { id, publicKey: new Uint8Array(secret), counter },
      requireUserVerification: true,
    })
    return verified ? authenticationInfo.newCounter : null
  } catch {
    // It throws for whatever does not fit, an answer made up by hand included.
    return null
  }
}

function refused(cause: unknown): Problem {
  return new Problem("passkey-refused", "Begin again.", { cause })
}

const hostOf = (origin: string): string => new URL(origin).hostname
