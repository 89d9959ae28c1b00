import { type Role, TENANT_ROLES } from "@assay/core/contract"
import type { OidcConfig } from "../../base/oidc-config.ts"

export type Claims = Readonly<Record<string, unknown>>

/** A role that a provider's claim gives; in the tenant of that name, null: for the service. */
export interface NamedRole {
  readonly role: Role
  readonly tenant: string | null
}

/** The claim by its name, or by a path with dots; undefined where there is none. */
export function claimOf(claims: Claims, name: string): unknown {
  // Names of claims can be URLs, which have dots too.
  if (Object.hasOwn(claims, name)) return claims[name]
  return name.split(".").reduce<unknown>((value, part) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined
    return (value as Claims)[part]
  }, claims)
}

/** What the claims give: of several roles in one tenant, the one that may do most. */
export function rolesOf(
  claims: Claims,
  { rolesClaim, roles }: Pick<OidcConfig, "rolesClaim" | "roles">,
): NamedRole[] {
  const claim = claimOf(claims, rolesClaim)
  const values = new Set(Array.isArray(claim) ? claim : [claim])
  const given = roles.filter(({ value }) => values.has(value))
  const found = new Map<string, NamedRole>()
  for (const { role, tenant } of given) {
    const place = tenant === null ? `service ${role}` : `tenant ${tenant}`
    const before = found.get(place)
    if (before === undefined || rankOf(role) < rankOf(before.role))
      found.set(place, { role, tenant })
  }
  return [...found.values()]
}

const rankOf = (role: Role): number => (TENANT_ROLES as readonly Role[]).indexOf(role)
