// A tenant with a key and an owner who is signed in, for tests of what only people may do.
import assert from "node:assert/strict"
import { RIGHTS } from "@assay/core/contract"
import { SESSION_COOKIE } from "../../packages/server/src/accounts/caller-of.ts"
import { csrfTokenOf } from "../../packages/server/src/accounts/sessions.ts"
import { createKey, invite } from "../cli/assay.ts"
import type { ServiceRequest } from "./request-to.ts"
import type { Service } from "./service.ts"
import { joins, tokenIn } from "./signed-in.ts"

export interface Account {
  readonly key: string
  /** The owner's session, by its token. */
  readonly session: string
}

export interface AccountRequest extends Omit<ServiceRequest, "key" | "headers"> {
  readonly headers?: Readonly<Record<string, string>>
  /** Whose request it is: an account's, or that of a key alone. */
  readonly key?: Account | string | null
}

type Place = Pick<Service, "baseUrl" | "port" | "dataDirectory"> & {
  readonly env?: Record<string, string>
}

/** Makes a tenant with a key of every scope of its plan, and its owner. */
export async function createAccount(
  place: Place,
  tenant: string,
  plan: "free" | "enterprise" = "enterprise",
): Promise<Account> {
  const key = await createKey(place, "--tenant", tenant, "--plan", plan, "--scopes", "all")
  return { key, session: await signedInOwner(place, tenant) }
}

/** The session of a new owner of a tenant. */
export async function signedInOwner(place: Place, tenant: string): Promise<string> {
  const link = await invite(place, "--tenant", tenant, "--role", "owner")
  const address = `owner-${Math.random().toString(36).slice(2)}@people.example`
  const owner = await joins(place, tokenIn(link), address)
  const session = owner.cookies.get(SESSION_COOKIE)
  assert.ok(session !== undefined)
  return session
}

/** Paths whose operations no key may call. */
const OF_PEOPLE = /^\/api\/v1\/(policy|keys)\b/
assert.deepEqual([RIGHTS.getPolicy.scopes, RIGHTS.createKey.scopes], [[], []])

/**
 * Sends a request of an account: with its key, or by its owner's session where people alone may.
 */
export async function requestAs(
  service: Service,
  path: string,
  { key: as = null, ...init }: AccountRequest,
): Promise<Response> {
  if (as === null || typeof as === "string")
    return await service.request(path, { ...init, key: as })
  if (!OF_PEOPLE.test(path)) return await service.request(path, { ...init, key: as.key })
  const headers = { ...sessionHeaders(service, as.session), ...init.headers }
  return await service.request(path, { ...init, key: null, headers })
}

/** The demo's tenant as an account. */
export async function demoAccount(
  service: Service,
  env: Record<string, string> = {},
): Promise<Account> {
  const session = await signedInOwner({ ...service, env }, "demo")
  return { key: service.key ?? "", session }
}

/** What a browser of the console sends with each request. */
export function sessionHeaders(
  { port }: Pick<Service, "port">,
  session: string,
): Record<string, string> {
  return {
    cookie: `${SESSION_COOKIE}=${session}`,
    origin: `http://localhost:${port}`,
    "x-csrf-token": csrfTokenOf(session),
  }
}
