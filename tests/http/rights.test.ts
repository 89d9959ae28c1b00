// Walks the table of rights: every operation, with no key, with a key of every scope alone, and as
// a person of every role. The operations come from the API's description, so one that is added is
// walked too.
import assert from "node:assert/strict"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import {
  type Open,
  type Right,
  RIGHTS,
  type Role,
  type Scope,
  SERVICE_ROLES,
  SERVICE_SCOPES,
  TENANT_ROLES,
  TENANT_SCOPES,
} from "@assay/core/contract"
import { hashApiKey, hintOf, mintApiKey } from "../../packages/server/src/accounts/api-key.ts"
import { csrfTokenOf, hashOfToken, newToken } from "../../packages/server/src/accounts/sessions.ts"
import { DAY_MS, HOUR_MS } from "../../packages/runtime/src/time.ts"
import type { Records } from "../../packages/stores/src/records.ts"
import { openRecordsOf } from "./records-of.ts"
import { type Service, startService } from "./service.ts"
import { severalNodes } from "./shared-stores.ts"
import { temporaryDirectory } from "./temporary.ts"

const data = join(temporaryDirectory(), "data")
const rows: Readonly<Record<string, Right | Open>> = RIGHTS

interface Described {
  readonly operation: string
  readonly method: string
  readonly path: string
}

let service: Service
let operations: readonly Described[]
const keys = new Map<Scope, string>()
/** Tokens of sessions: of a person with that role alone, and of one who has none any more. */
const sessions = new Map<Role | "nothing", string>()
let expired: string
let unused: string
let ofFreePlan: string

before(async () => {
  service = await startService({
    dataDirectory: data,
    drop: true,
    args: ["--workers", "1"],
    env: { ASSAY_SSF_ORIGIN: "https://risk.example" },
  })
  const records = await openRecordsOf(data)
  const at = Date.now()
  const tenant = await records.createTenant({
    name: "walked",
    plan: "enterprise",
    at,
    actor: "test",
  })
  for (const scope of [...TENANT_SCOPES, ...SERVICE_SCOPES]) {
    const key = mintApiKey()
    await records.createKey({
      id: `only-${scope.replace(":", "-")}`,
      tenantId: (TENANT_SCOPES as readonly string[]).includes(scope) ? tenant.id : null,
      hash: hashApiKey(key),
      hint: hintOf(key),
      label: "",
      scopes: [scope],
      at,
      expiresAt: at + HOUR_MS,
      actor: "test",
    })
    keys.set(scope, key)
  }
  await joined(records, { token: newToken(), tenantId: tenant.id, role: "owner" })
  for (const role of TENANT_ROLES)
    sessions.set(role, await joined(records, { tenantId: tenant.id, role }))
  for (const role of SERVICE_ROLES)
    sessions.set(role, await joined(records, { tenantId: null, role }))
  sessions.set("nothing", await withoutRoles(records, tenant.id))
  expired = await joined(records, { tenantId: tenant.id, role: "owner", signedInAt: at - DAY_MS })
  unused = await joined(records, { tenantId: tenant.id, role: "owner", signedInAt: at - HOUR_MS })
  const free = await records.createTenant({ name: "free", plan: "free", at, actor: "test" })
  ofFreePlan = await joined(records, { tenantId: free.id, role: "owner" })
  await records.close()
  operations = await described()
})
after(() => service.stop())

/**
 * Of what is refused, one node walks all. On several, where a soak does so too, each scope and each
 * role has a third of it, and the one after it another third.
 */
const shares = severalNodes && process.env["ASSAY_TEST_NODES_WHOLE"] === undefined ? 3 : 1

/** Six operations at a time: one after the other, a walk is mostly waiting. */
async function walk(each: (operation: Described) => Promise<void>): Promise<void> {
  const left = operations.values()
  const lane = async (): Promise<void> => {
    for (const operation of left) await each(operation)
  }
  await Promise.all(Array.from({ length: 6 }, lane))
}

test("the description has exactly the operations that have a row", () => {
  const names = operations.map(({ operation }) => operation)
  assert.deepEqual(names.toSorted(), Object.keys(RIGHTS).toSorted())
})

test("without a key only operations for anyone are answered", async () => {
  await walk(async (each) => {
    const { status, code } = await send(each, null)
    const right = rows[each.operation]
    // Some need a body, which is read because nobody was refused before.
    if (right === "anyone" || right === "signing-in")
      assert.ok([200, 400].includes(status), each.operation)
    else assert.deepEqual([status, code], [401, "unauthenticated"], each.operation)
  })
})

test("a key of one scope alone opens the operations whose row names it, and no other", async () => {
  const walkWith = async ([scope, key]: [Scope, string], n: number): Promise<void> => {
    for (const [m, each] of operations.entries()) {
      const right = rows[each.operation]
      if (right === undefined || typeof right === "string") continue
      const isOpen = right.scopes.includes(scope)
      if (!isOpen && (n + m) % shares !== 0) continue
      const { status, code } = await send(each, key)
      const told = `${each.operation} with ${scope}: ${status} ${code ?? ""}`
      if (isOpen) assert.ok(![401, 403].includes(status), told)
      else assert.deepEqual([status, code], [403, "insufficient-scope"], told)
    }
  }
  await Promise.all([...keys].map(walkWith))
})

test("a key that is not known opens nothing that asks for one", async () => {
  await walk(async (each) => {
    const right = rows[each.operation]
    if (right === "anyone" || right === "signing-in") return
    const { status } = await send(each, mintApiKey())
    assert.equal(status, 401, each.operation)
  })
})

/**
 * What ends the session that asks comes last. A worker may know a session for seconds after its
 * end, so what came behind would be answered or refused as the machine is busy.
 */
const walked = (): readonly Described[] =>
  operations.toSorted(
    (a, b) => Number(a.operation === "signOut") - Number(b.operation === "signOut"),
  )
const opens = (right: Right, role: string): boolean =>
  right.roles === "signed-in" || right.roles.some((each) => each === role)

test("a session that is cross-site, without its token, expired, unused for long or unknown opens nothing", async () => {
  const owner = sessions.get("owner") ?? ""
  await walk(async (each) => {
    const right = rows[each.operation]
    if (right === undefined || typeof right === "string") return
    const site = await send(each, null, owner, { "sec-fetch-site": "cross-site" })
    assert.deepEqual([site.status, site.code], [403, "cross-site"], each.operation)
    if (each.method !== "GET") {
      const bare = await send(each, null, owner, { "x-csrf-token": "" })
      assert.deepEqual([bare.status, bare.code], [403, "cross-site"], each.operation)
    }
    for (const token of [expired, unused, newToken()]) {
      const { status, code } = await send(each, null, token)
      assert.deepEqual([status, code], [401, "unauthenticated"], each.operation)
    }
  })
})

test("a person opens the operations whose row names their role, and no other", async () => {
  const walkAs = async ([role, token]: [string, string], n: number): Promise<void> => {
    for (const [m, each] of walked().entries()) {
      const right = rows[each.operation]
      if (right === undefined || typeof right === "string") continue
      const isOpen = opens(right, role)
      if (!isOpen && (n + m) % shares !== 0) continue
      const { status, code } = await send(each, null, token)
      const told = `${each.operation} as ${role}: ${status} ${code ?? ""}`
      if (isOpen) assert.ok(![401, 403].includes(status), told)
      else assert.deepEqual([status, code], [403, "insufficient-role"], told)
    }
  }
  await Promise.all([...sessions].map(walkAs))
})

test("an owner may do what the plan of the tenant has, and no more", async () => {
  const free: readonly Scope[] = ["score", "feedback:write", "decisions:read", "usage:read"]
  for (const each of walked()) {
    const right = rows[each.operation]
    if (right === undefined || typeof right === "string" || !opens(right, "owner")) continue
    let answer = await send(each, null, ofFreePlan)
    // Its rate is ten requests a second, and there are more operations than that.
    while (answer.code === "rate-limited") {
      await delay(200)
      answer = await send(each, null, ofFreePlan)
    }
    const { status, code } = answer
    const inPlan = right.scopes.length === 0 || right.scopes.some((scope) => free.includes(scope))
    const told = `${each.operation}: ${status} ${code ?? ""}`
    if (inPlan) assert.ok(![401, 403].includes(status), told)
    else assert.deepEqual([status, code], [403, "insufficient-role"], told)
  }
})

/** Lets somebody join who has this role alone; returns the token of their session. */
async function joined(
  records: Records,
  of: { token?: string; tenantId: number | null; role: Role; signedInAt?: number },
): Promise<string> {
  const { token = newToken(), tenantId, role, signedInAt = Date.now() } = of
  const id = `per_${token.slice(0, 12)}`
  const at = Date.now()
  const invitation = {
    id: `inv_${id}`,
    tokenHash: hashOfToken(`of ${token}`),
    expiresAt: at + HOUR_MS,
  }
  await records.invite({ ...invitation, tenantId, role, personId: null, at, actor: "test" })
  const secret = hashOfToken(token)
  await records.join({
    tokenHash: invitation.tokenHash,
    person: { id, name: role, emailHash: secret, emailSealed: secret },
    credentials: [
      { id: `cre_${id}`, kind: "password", secret, counter: 0, label: "", transports: [] },
    ],
    session: {
      id: `ses_${id}`,
      tokenHash: secret,
      method: "password",
      signedInAt,
      expiresAt: signedInAt + 12 * HOUR_MS,
    },
    replaces: null,
    at,
  })
  return token
}

/** Somebody who was a member and signs in again after that ended. */
async function withoutRoles(records: Records, tenantId: number): Promise<string> {
  const personId = `per_${(await joined(records, { tenantId, role: "viewer" })).slice(0, 12)}`
  const by = { at: Date.now(), actor: "test" }
  await records.setMember({ tenantId, personId, role: null, ...by })
  const token = newToken()
  const session = {
    id: "ses_nothing",
    tokenHash: hashOfToken(token),
    personId,
    tenantId: null,
    method: "password",
    signedInAt: by.at,
    expiresAt: by.at + HOUR_MS,
  }
  await records.openSession({ session, use: null, replaces: null, ...by })
  return token
}

/**
 * Sends a request of an operation with an empty body: what it may do is decided before it is read.
 */
async function send(
  { method, path }: Described,
  key: string | null,
  session: string | null = null,
  headers: Record<string, string> = {},
): Promise<{ status: number; code: string | undefined }> {
  const response = await service.request(path, {
    method,
    key,
    headers: {
      ...(session !== null && {
        cookie: `__Host-assay-session=${session}`,
        "x-csrf-token": csrfTokenOf(session),
      }),
      ...headers,
    },
    ...(method === "GET" || method === "DELETE" ? {} : { json: {} }),
  })
  const text = await response.text()
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem") === true
  const code = isProblem ? (JSON.parse(text) as { code: string }).code : undefined
  return { status: response.status, code }
}

async function described(): Promise<Described[]> {
  const response = await service.request("/openapi.json")
  const { paths } = (await response.json()) as {
    paths: Record<string, Record<string, { operationId?: string }>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId = "" }]) => ({
      operation: operationId,
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, "unknown-id"),
    })),
  )
}
