import { randomBytes } from "node:crypto"
import type { NewSession } from "@assay/stores/records-sessions"
import { hashOfToken, newToken } from "../accounts/sessions.ts"
import type { SealedPeople } from "./sealed-people.ts"
import type { SignedIn } from "./people.ts"

/** A session to be stored, and what its owner is handed. */
export interface MadeSession {
  readonly session: NewSession
  readonly signedIn: SignedIn
}

/** How sessions are made: all of them by one function, with a new id and token each time. */
export type MakeSession = (
  of: Pick<NewSession, "personId" | "tenantId" | "method"> & {
    /** The first sign-in, where a session goes on with other rights. */
    readonly since?: { readonly signedInAt: number; readonly expiresAt: number }
  },
) => MadeSession

export function openMakeSession(
  { device }: Pick<SealedPeople, "device">,
  lifeMs: number,
  now: () => number,
): MakeSession {
  return ({ personId, tenantId, method, since }) => {
    const token = newToken()
    const signedInAt = since?.signedInAt ?? now()
    const expiresAt = since?.expiresAt ?? signedInAt + lifeMs
    const id = `ses_${randomBytes(8).toString("hex")}`
    return {
      session: {
        id,
        tokenHash: hashOfToken(token),
        personId,
        tenantId,
        method,
        signedInAt,
        expiresAt,
      },
      signedIn: { token, expiresAt, device: deviceCookie(device, personId) },
    }
  }
}

function deviceCookie(sealer: SealedPeople["device"], personId: string): string {
  const browser = randomBytes(12).toString("base64url")
  return Buffer.from(sealer.seal(JSON.stringify({ personId, browser }))).toString("base64url")
}

/** The name of a browser that signed this person in before; null: of any other. */
export function deviceOf(
  cookie: string | null,
  personId: string,
  { device }: Pick<SealedPeople, "device">,
): string | null {
  const opened = cookie === null ? null : device.open(Buffer.from(cookie, "base64url"))
  if (opened === null) return null
  const read = JSON.parse(opened) as { personId: string; browser: string }
  return read.personId === personId ? read.browser : null
}
