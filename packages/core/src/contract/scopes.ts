/** What a tenant's key may be allowed to do. */
export const TENANT_SCOPES = [
  "score",
  "decisions:read",
  "feedback:write",
  "evidence:write",
  "watchlist:write",
  "webhooks:manage",
  "streams:manage",
  "usage:read",
  "subjects:own",
] as const

/** What a service key, made by an administrator and belonging to no tenant, may be allowed to do. */
export const SERVICE_SCOPES = [
  "corpus:admin",
  "subjects:admin",
  "lists:admin",
  "operators:admin",
  "drop:read",
] as const

export type TenantScope = (typeof TENANT_SCOPES)[number]
export type ServiceScope = (typeof SERVICE_SCOPES)[number]
export type Scope = TenantScope | ServiceScope
