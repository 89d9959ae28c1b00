import type { IdentityType } from "@assay/core/identity"
import { credentialRow, type RowSink } from "./parsed-row.ts"

const PHONE = /^\+[0-9]{7,15}$/

/**
 * What a login identifies somebody by; null for a user name, which means nothing without its site.
 */
export function identityTypeOf(login: string): IdentityType | null {
  if (login.includes("@")) return "email"
  return login.startsWith("+") && PHONE.test(login) ? "phone" : null
}

/**
 * Hands over the credentials for a site. The site itself goes no further, and decides nothing: a
 * password for the company's own site is what an attacker wants most.
 */
export function addLogin(
  line: number,
  login: string,
  password: string | null,
  sink: RowSink,
): void {
  const identity = login.trim()
  const identityType = identityTypeOf(identity)
  if (identityType === null) sink.reject(line, "no-identity")
  else sink.row(line, credentialRow(identityType, identity, password))
}
