import type {
  OwnTenant,
  SignUpApproval,
  SignUpList,
  Tenant,
  TenantList,
  TenantRequest,
} from "@assay/core/contract"
import { type CallOptions, query } from "./request.ts"
import { idIn, type Send } from "./sent.ts"

/** Tenants and sign-ups, for administrators of the service. */
export interface TenantCalls {
  /** What holds for the tenant that the person acts in, whatever their role. */
  own(options?: CallOptions): Promise<OwnTenant>
  /** A page of a hundred, the oldest first; `next` of one page as `after` asks for the next one. */
  list(after?: number, options?: CallOptions): Promise<TenantList>
  create(request: TenantRequest, options?: CallOptions): Promise<Tenant>
  changePlan(id: number, plan: Tenant["plan"], options?: CallOptions): Promise<Tenant>
  /** Sign-ups that wait for an administrator. */
  signUps(options?: CallOptions): Promise<SignUpList>
  approve(signUpId: string, options?: CallOptions): Promise<SignUpApproval>
  refuse(signUpId: string, options?: CallOptions): Promise<void>
}

export function tenantCalls(send: Send): TenantCalls {
  return {
    own: (options) => send("GET", "/tenant", "plan", { options }),
    list: (after, options) => send("GET", `/tenants${query({ after })}`, "tenants", { options }),
    create: (body, options) => send("POST", "/tenants", "id", { body, options }),
    changePlan: (id, plan, options) =>
      send("PATCH", `/tenants/${idIn(id)}`, "id", { body: { plan }, options, repeatable: true }),
    signUps: (options) => send("GET", "/signups", "signups", { options }),
    approve: (id, options) =>
      send("POST", `/signups/${idIn(id)}/approve`, "token", { body: {}, options }),
    refuse: async (id, options) =>
      void (await send("POST", `/signups/${idIn(id)}/refuse`, null, { body: {}, options })),
  }
}
