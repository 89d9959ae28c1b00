import type {
  DomainCheck,
  DomainOverride,
  DomainOverrideList,
  DomainOverrideListQuery,
  DomainOverrideRequest,
} from "@assay/core/contract"
import { type CallOptions, query } from "./request.ts"
import { idIn, type Send } from "./sent.ts"

/** What the operator says of mail domains, for administrators of the service. */
export interface ListCalls {
  /** A page by domain; `next` of one page as `after` asks for the next one. */
  overrides(asked?: DomainOverrideListQuery, options?: CallOptions): Promise<DomainOverrideList>
  /** Said again it changes the note. */
  add(request: DomainOverrideRequest, options?: CallOptions): Promise<DomainOverride>
  /** Gives the override as it was. */
  remove(id: string, options?: CallOptions): Promise<DomainOverride>
  /** What all lists say of a domain, and which of them. */
  check(domain: string, options?: CallOptions): Promise<DomainCheck>
}

export function listCalls(send: Send): ListCalls {
  return {
    overrides: (asked = {}, options) =>
      send("GET", `/lists/overrides${query({ ...asked })}`, "overrides", { options }),
    add: (body, options) =>
      send("POST", "/lists/overrides", "id", { body, options, repeatable: true }),
    remove: (id, options) => send("DELETE", `/lists/overrides/${idIn(id)}`, "id", { options }),
    check: (domain, options) =>
      send("POST", "/lists/check", "verdict", { body: { domain }, options, repeatable: true }),
  }
}
