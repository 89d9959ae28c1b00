import { Type, type Static } from "typebox"
import { TENANT_SCOPES } from "./scopes.ts"
import { words } from "./words.ts"

const exactly = { additionalProperties: false }
/** Labels and names are shown in tables and logs of terminals, so only printable characters. */
const PRINTABLE = "^\\P{C}*$"

const scopes = Type.Array(words(TENANT_SCOPES, "What the key may do."), {
  minItems: 1,
  maxItems: TENANT_SCOPES.length,
})
const moment = (description: string) =>
  Type.Union([Type.String({ format: "date-time" }), Type.Null()], { description })
const label = Type.String({
  maxLength: 100,
  pattern: PRINTABLE,
  description: "A note to recognise the key by.",
})
const expiry = Type.Unsafe<string | null>({
  type: ["string", "null"],
  format: "date-time",
  description: "When it ends, in RFC 3339; null or left out: never.",
})

/** A key without what would let anyone use it. */
export const ApiKey = Type.Object(
  {
    id: Type.String({ description: "Names the key in lists, usage and the audit trail." }),
    hint: Type.String({ description: "The beginning and the last four characters of the key." }),
    label,
    scopes: Type.Array(Type.String()),
    state: words(
      ["active", "replaced", "expired", "revoked"],
      "`replaced`: a successor was made, and it still works until `expires_at`.",
    ),
    created_at: Type.String({ format: "date-time" }),
    expires_at: moment("When it ends or ended; null: never."),
    revoked_at: moment("When it was revoked; null: it was not."),
    replaced_by: Type.Union([Type.String(), Type.Null()], {
      description: "The id of the key that took over when this one was rotated.",
    }),
  },
  { $id: "ApiKey", ...exactly },
)
export type ApiKey = Static<typeof ApiKey>

export const ApiKeyList = Type.Object(
  {
    keys: Type.Array(Type.Unsafe<ApiKey>({ $ref: "ApiKey#" }), {
      description: "The newest first, at most 1,000.",
    }),
  },
  { $id: "ApiKeyList", ...exactly },
)
export type ApiKeyList = Static<typeof ApiKeyList>

export const ApiKeyRequest = Type.Object(
  { scopes, label: Type.Optional(label), expires_at: Type.Optional(expiry) },
  { $id: "ApiKeyRequest", ...exactly, examples: [{ scopes: ["score"], label: "checkout" }] },
)
export type ApiKeyRequest = Static<typeof ApiKeyRequest>

/** The only answer that has a key. */
export const NewApiKey = Type.Object(
  {
    key: Type.String({ description: "The key itself. It is shown this once." }),
    api_key: Type.Unsafe<ApiKey>({ $ref: "ApiKey#" }),
  },
  { $id: "NewApiKey", ...exactly },
)
export type NewApiKey = Static<typeof NewApiKey>

export const ApiKeyRotation = Type.Object(
  {
    overlap_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 720,
        description: "How long the old key goes on working; 24 unless given.",
      }),
    ),
    expires_at: Type.Optional(expiry),
  },
  { $id: "ApiKeyRotation", ...exactly, examples: [{ overlap_hours: 24 }] },
)
export type ApiKeyRotation = Static<typeof ApiKeyRotation>

export const ApiKeyChange = Type.Object(
  { label: Type.Optional(label), expires_at: Type.Optional(expiry) },
  { $id: "ApiKeyChange", ...exactly, minProperties: 1, examples: [{ label: "checkout" }] },
)
export type ApiKeyChange = Static<typeof ApiKeyChange>

export const ApiKeyParams = Type.Object({
  id: Type.String({ description: "The id of the key." }),
})

const plan = words(["free", "enterprise"], "What it may use, and how much.")
const name = Type.String({ minLength: 1, maxLength: 100, pattern: PRINTABLE })

/** A customer of the service. */
export const Tenant = Type.Object(
  {
    id: Type.Integer({ minimum: 1 }),
    name,
    plan,
    created_at: Type.String({ format: "date-time" }),
  },
  { $id: "Tenant", ...exactly },
)
export type Tenant = Static<typeof Tenant>

export const TenantList = Type.Object(
  {
    tenants: Type.Array(Type.Unsafe<Tenant>({ $ref: "Tenant#" }), {
      description: "The oldest first.",
    }),
    next: Type.Union([Type.Integer(), Type.Null()], {
      description: "As `after` it asks for the next page; null on the last one.",
    }),
  },
  { $id: "TenantList", ...exactly },
)
export type TenantList = Static<typeof TenantList>

export const TenantListQuery = Type.Object({
  after: Type.Optional(
    Type.String({ pattern: "^[0-9]{1,9}$", description: "Only tenants after this id." }),
  ),
  limit: Type.Optional(
    Type.String({ pattern: "^([1-9][0-9]?|100)$", description: "1 to 100; 100 unless given." }),
  ),
})

export const TenantRequest = Type.Object(
  { name, plan: Type.Optional(plan) },
  { $id: "TenantRequest", ...exactly, examples: [{ name: "Acme", plan: "free" }] },
)
export type TenantRequest = Static<typeof TenantRequest>

export const TenantChange = Type.Object(
  { plan },
  { $id: "TenantChange", ...exactly, examples: [{ plan: "enterprise" }] },
)
export type TenantChange = Static<typeof TenantChange>

export const TenantParams = Type.Object({
  id: Type.String({ description: "The number of the tenant." }),
})

const days = (of: string) =>
  Type.Integer({ minimum: 0, description: `How many days ${of} are kept; 0: not at all.` })
const most = (description: string) => Type.Integer({ minimum: 0, description })

/** What holds for the caller's tenant. */
export const OwnTenant = Type.Object(
  {
    name,
    plan,
    limits: Type.Union(
      [
        Type.Object(
          {
            requests_per_second: most("Requests in a second, of all keys."),
            lookups_per_month: most("Lookups in a UTC month."),
            identities_per_day: most("Different identities in a UTC day."),
            streams_at_once: most("Streams of lines that may be open."),
          },
          exactly,
        ),
        Type.Null(),
      ],
      { description: "null: the plan has none." },
    ),
    named_sources: Type.Boolean({ description: "Whether explanations name sources." }),
    sensitive_sources: Type.Boolean({ description: "Whether sensitive sources act." }),
    providers: Type.Boolean({
      description: "Whether phone numbers may be sent to carriers and vendors.",
    }),
    retention: Type.Object(
      {
        decision_days: days("decisions"),
        review_days: days("decisions that wait for an analyst"),
        audit_days: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
          description: "How many days entries of the audit trail are kept; null: for ever.",
        }),
      },
      exactly,
    ),
    policy_version: Type.Integer({ minimum: 0, description: "The version that acts." }),
    calibration: Type.Union([Type.String(), Type.Null()], {
      description: "Hash of the tenant's own calibration; null for the model as published.",
    }),
    created_at: Type.String({ format: "date-time" }),
  },
  { $id: "OwnTenant", ...exactly },
)
export type OwnTenant = Static<typeof OwnTenant>
