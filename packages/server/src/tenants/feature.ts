import {
  OwnTenant,
  Tenant as TenantAnswer,
  TenantChange,
  TenantList,
  TenantListQuery,
  TenantParams,
  TenantRequest,
} from "@assay/core/contract"
import type { Records, Tenant } from "@assay/stores/records"
import { RecordsError } from "@assay/stores/records-error"
import { actorOf, type Caller } from "../accounts/callers.ts"
import { readTenantSettings } from "../accounts/tenant-settings.ts"
import type { Config } from "../base/config.ts"
import { Problem } from "../base/problem.ts"
import { writerPort } from "../base/writer-port.ts"
import type { App } from "../http/app.ts"
import type { Feature, Primary } from "../http/feature.ts"
import { failures, FAILURES_OF_READING, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"

const common = { tags: ["Tenants"], security: [{ apiKey: [] }, { session: [] }] }
const PAGE = 100

const listSchema = {
  ...common,
  operationId: "listTenants",
  summary: "List tenants",
  querystring: TenantListQuery,
  response: { 200: named(TenantList, "A page of tenants."), ...failures(...FAILURES_OF_READING) },
}

const createSchema = {
  ...common,
  operationId: "createTenant",
  summary: "Make a tenant",
  description: "Without a key; on the free plan unless another is named.",
  body: named(TenantRequest),
  response: {
    201: named(TenantAnswer, "The tenant."),
    ...failures("tenant-name-taken", ...FAILURES_WITHOUT_LOOKUP),
  },
}

const changeSchema = {
  ...common,
  operationId: "changeTenant",
  summary: "Change the plan of a tenant",
  description: "It acts within 5 seconds. Keys keep their scopes; what the plan limits holds.",
  params: TenantParams,
  body: named(TenantChange),
  response: {
    200: named(TenantAnswer, "The tenant as it is now."),
    ...failures("not-found", "tenant-not-found", ...FAILURES_WITHOUT_LOOKUP),
  },
}

/** Who changes something, for the audit trail. */
interface By {
  readonly actor: string
  readonly requestId: string
}

/** What changes tenants, in the primary. */
interface TenantKeeper {
  /** null: a tenant has this name. */
  create(of: By & { name: string; plan: string }): Promise<Tenant | null>
  /** null: there is no such tenant. */
  setPlan(of: By & { tenantId: number; plan: string }): Promise<Tenant | null>
}

const ownSchema = {
  tags: ["Tenants"],
  security: [{ session: [] }],
  operationId: "getOwnTenant",
  summary: "See what holds for your tenant",
  response: { 200: named(OwnTenant, "The tenant."), ...failures(...FAILURES_OF_READING) },
}

export interface TenantServices {
  readonly tenantRecords: Pick<Records, "tenants" | "policies">
  readonly config: Pick<Config, "decisionDays" | "reviewDays" | "auditDays" | "decisions">
}

/** Tenants and their plans, for administrators. */
export const tenants: Feature<TenantServices, TenantKeeper> = {
  routes: tenantRoutes,
  port: writerPort<TenantKeeper>(
    "tenants",
    { create: true, setPlan: true },
    { failed: "The tenants cannot be changed" },
  ),
  async writer({ records, now }: Pick<Primary, "records" | "now">) {
    return {
      create: (tenant) => unless("name-taken", records.createTenant({ ...tenant, at: now() })),
      setPlan: (change) => unless("not-found", records.setPlan({ ...change, at: now() })),
    }
  },
}

/** The tenant, or null where the records refuse it with this code. */
async function unless(code: RecordsError["code"], work: Promise<Tenant>): Promise<Tenant | null> {
  try {
    return await work
  } catch (error) {
    if (error instanceof RecordsError && error.code === code) return null
    throw error
  }
}

function tenantRoutes(
  app: App,
  { tenantRecords: records, config }: TenantServices,
  keeper: TenantKeeper,
): void {
  app.get("/api/v1/tenant", { schema: ownSchema }, async ({ caller }) => {
    const { tenantId, plan } = caller
    const tenant = (await records.tenants()).find(({ id }) => id === tenantId)
    if (tenant === undefined) throw new Problem("insufficient-role", "You act in no tenant.")
    const [policy] = await records.policies({ tenantId: tenant.id, limit: 1 })
    const { limits } = plan
    return {
      name: tenant.name,
      plan: tenant.plan as TenantAnswer["plan"],
      limits:
        limits === null
          ? null
          : {
              requests_per_second: limits.requestsPerSecond,
              lookups_per_month: limits.lookupsPerMonth,
              identities_per_day: limits.identitiesPerDay,
              streams_at_once: limits.streamsAtOnce,
            },
      named_sources: plan.namedSources,
      sensitive_sources: caller.verified,
      providers: plan.providers && caller.providers,
      retention: {
        decision_days: config.decisions === "off" ? 0 : config.decisionDays,
        review_days: config.reviewDays,
        audit_days: config.auditDays === 0 ? null : config.auditDays,
      },
      policy_version: policy?.version ?? 0,
      calibration: readTenantSettings(policy?.settings ?? {}).calibration?.hash ?? null,
      created_at: new Date(tenant.createdAt).toISOString(),
    }
  })

  app.get("/api/v1/tenants", { schema: listSchema }, async ({ caller, query }) => {
    requireService(caller)
    const limit = Number(query.limit ?? PAGE)
    const after = Number(query.after ?? 0)
    const found = (await records.tenants()).filter(({ id }) => id > after)
    const page = found.slice(0, limit)
    const next = found.length > limit ? (page.at(-1)?.id ?? null) : null
    return { tenants: page.map(answerOf), next }
  })

  app.post(
    "/api/v1/tenants",
    { schema: createSchema },
    async ({ caller, body, id: requestId }, reply) => {
      requireService(caller)
      const { name, plan = "free" } = body
      const tenant = await keeper.create({ name, plan, actor: actorOf(caller), requestId })
      if (tenant === null) throw new Problem("tenant-name-taken", "Nothing was changed.")
      return reply.code(201).send(answerOf(tenant))
    },
  )

  app.patch("/api/v1/tenants/:id", { schema: changeSchema }, async (request) => {
    const { caller, params, body, id: requestId } = request
    requireService(caller)
    const tenantId = /^[1-9]\d{0,8}$/.test(params.id) ? Number(params.id) : 0
    const by = { actor: actorOf(caller), requestId }
    const tenant = await keeper.setPlan({ ...by, tenantId, plan: body.plan })
    if (tenant === null) throw new Problem("tenant-not-found", "Nothing was changed.")
    return answerOf(tenant)
  })
}

/** A key of a tenant never reaches beyond it, whatever scopes it carries; an administrator may. */
function requireService({ tenantId, person }: Caller): void {
  if (tenantId !== null && person === null)
    throw new Problem("insufficient-scope", "Tenants take a key of the service.")
}

function answerOf({ id, name, plan, createdAt }: Tenant): TenantAnswer {
  return {
    id,
    name,
    plan: plan as TenantAnswer["plan"],
    created_at: new Date(createdAt).toISOString(),
  }
}
