/**
 * What a tenant's key may be allowed to do. A scope is added with the first operation it opens, and
 * not before.
 */
export const TENANT_SCOPES = [
  "score",
  "decisions:read",
  "feedback:write",
  "evidence:write",
  "review:read",
  "review:write",
  "watchlist:write",
  "webhooks:manage",
  "usage:read",
  "subjects:own",
  "audit:read",
  "events:read",
] as const

/**
 * What a service key, made by an administrator and belonging to no tenant, may be allowed to do.
 */
export const SERVICE_SCOPES = [
  "corpus:admin",
  "subjects:admin",
  "tenants:admin",
  "audit:admin",
  "events:admin",
  "drop:read",
  "drop:reseal",
] as const

/**
 * Scopes for a piece of work and not for every day. A key that lasts longer than this has the scope
 * in name only.
 */
export const BRIEF_SCOPES: readonly string[] = ["drop:reseal"] satisfies ServiceScope[]
export const BRIEF_HOURS_MAX = 24

export type TenantScope = (typeof TENANT_SCOPES)[number]
export type ServiceScope = (typeof SERVICE_SCOPES)[number]
export type Scope = TenantScope | ServiceScope
