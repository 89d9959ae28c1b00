import {
  ApiKey as ApiKeyAnswer,
  ApiKeyChange,
  ApiKeyList,
  ApiKeyParams,
  ApiKeyRequest,
  ApiKeyRotation,
  NewApiKey,
} from "@assay/core/contract"
import { HOUR_MS } from "@assay/runtime/time"
import type { ApiKey, Records } from "@assay/stores/records"
import type { FastifyRequest } from "fastify"
import { hashApiKey, hintOf, mintApiKey } from "../accounts/api-key.ts"
import { actorOf, type Caller } from "../accounts/callers.ts"
import { newKeyId } from "../accounts/first-keys.ts"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import { failures, FAILURES_OF_READING, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"
import {
  type KeyKeeper,
  type KeyMade,
  type KeyOutcome,
  KEYS_MAX,
  keysPort,
  openKeysWriter,
  ownKeys,
} from "./keys-writer.ts"

const common = { tags: ["Keys"], security: [{ session: [] }] }
const LISTED_MAX = 1_000
const OVERLAP_HOURS = 24

const listSchema = {
  ...common,
  operationId: "listKeys",
  summary: "List keys of your tenant",
  response: { 200: named(ApiKeyList, "Without keys' texts."), ...failures(...FAILURES_OF_READING) },
}

const createSchema = {
  ...common,
  operationId: "createKey",
  summary: "Make a key",
  description: "It may do no more than the plan allows.",
  body: named(ApiKeyRequest),
  response: {
    201: named(NewApiKey, "The key, shown this once."),
    ...failures("keys-exceeded", ...FAILURES_WITHOUT_LOOKUP),
  },
}

const rotateSchema = {
  ...common,
  operationId: "rotateKey",
  summary: "Replace a key by a new one",
  description: "The new one has the same label and scopes. The old one works for an overlap.",
  params: ApiKeyParams,
  body: named(ApiKeyRotation),
  response: {
    201: named(NewApiKey, "The new key, shown this once."),
    ...failures("not-found", "key-not-found", "key-ended", ...FAILURES_WITHOUT_LOOKUP),
  },
}

const changeSchema = {
  ...common,
  operationId: "changeKey",
  summary: "Change the label or the end of a key",
  params: ApiKeyParams,
  body: named(ApiKeyChange),
  response: {
    200: named(ApiKeyAnswer, "The key as it is now. It acts within 5 seconds."),
    ...failures("not-found", "key-not-found", "key-ended", ...FAILURES_WITHOUT_LOOKUP),
  },
}

const revokeSchema = {
  ...common,
  operationId: "revokeKey",
  summary: "End a key",
  description: "Every worker refuses it within 5 seconds. Revoking it again changes nothing.",
  params: ApiKeyParams,
  response: {
    200: named(ApiKeyAnswer, "The key, revoked."),
    ...failures("not-found", "key-not-found", ...FAILURES_OF_READING),
  },
}

export interface KeyServices {
  readonly keyRecords: Pick<Records, "keys">
  readonly now: () => number
}

/** Keys of the caller's tenant. */
export const keys: Feature<KeyServices, KeyKeeper> = {
  routes: keyRoutes,
  port: keysPort,
  writer: openKeysWriter,
}

function keyRoutes(app: App, { keyRecords: records, now }: KeyServices, keeper: KeyKeeper): void {
  app.get("/api/v1/keys", { schema: listSchema }, async ({ caller }) => {
    const found = await ownKeys(records, tenantIdOf(caller))
    const newest = found.toReversed().slice(0, LISTED_MAX)
    return { keys: newest.map((key) => answerOf(key, now())) }
  })

  app.post("/api/v1/keys", { schema: createSchema }, async (request, reply) => {
    const { caller, body } = request
    const scopes = [...new Set(body.scopes)]
    const within = grantable(caller)
    if (!scopes.every((scope) => within.includes(scope))) throw beyond(within)
    const { text, made } = minted(body.expires_at, now())
    const label = body.label ?? ""
    const outcome = await keeper.create({ ...made, ...askerOf(request), label, scopes })
    const key = keyOr(outcome, caller)
    return reply.code(201).send({ key: text, api_key: answerOf(key, now()) })
  })

  app.post("/api/v1/keys/:id/rotate", { schema: rotateSchema }, async (request, reply) => {
    const { caller, params, body } = request
    const { text, made } = minted(body.expires_at, now())
    const outcome = await keeper.rotate({
      ...askerOf(request),
      id: params.id,
      scopes: grantable(caller),
      overlapMs: (body.overlap_hours ?? OVERLAP_HOURS) * HOUR_MS,
      newKey: made,
    })
    const key = keyOr(outcome, caller)
    return reply.code(201).send({ key: text, api_key: answerOf(key, now()) })
  })

  app.patch("/api/v1/keys/:id", { schema: changeSchema }, async (request) => {
    const { caller, params, body } = request
    const { label, expires_at } = body
    const outcome = await keeper.change({
      ...askerOf(request),
      id: params.id,
      scopes: grantable(caller),
      ...(label === undefined ? {} : { label }),
      ...(expires_at === undefined ? {} : { expiresAt: endOf(expires_at, now()) }),
    })
    return answerOf(keyOr(outcome, caller), now())
  })

  app.post("/api/v1/keys/:id/revoke", { schema: revokeSchema }, async (request) => {
    const { caller, params } = request
    const outcome = await keeper.revoke({ ...askerOf(request), id: params.id })
    return answerOf(keyOr(outcome, caller), now())
  })
}

function tenantIdOf({ tenantId }: Caller): number {
  if (tenantId !== null) return tenantId
  throw new Problem("insufficient-scope", "Keys of a tenant take a key of that tenant.")
}

/** Whose keys are meant, and who asks. */
function askerOf({ caller, id }: Pick<FastifyRequest, "caller" | "id">): {
  readonly tenantId: number
  readonly actor: string
  readonly requestId: string
} {
  return { tenantId: tenantIdOf(caller), actor: actorOf(caller), requestId: id }
}

/** What the caller may give on: what it may do itself, within the plan of now. */
function grantable({ scopes, plan }: Caller): string[] {
  return plan.scopes.filter((scope) => scopes.has(scope))
}

/** A key that only its text can use; the text goes into the answer and nowhere else. */
function minted(
  expiresAt: string | null | undefined,
  nowMs: number,
): { readonly text: string; readonly made: KeyMade } {
  const text = mintApiKey()
  const made = {
    id: newKeyId(),
    hash: hashApiKey(text),
    hint: hintOf(text),
    expiresAt: endOf(expiresAt ?? null, nowMs),
  }
  return { text, made }
}

function endOf(text: string | null, nowMs: number): number | null {
  if (text === null) return null
  const at = Date.parse(text)
  if (at > nowMs) return at
  throw new Problem("invalid-request", "A key cannot end in the past.", {
    errors: [{ pointer: "#/expires_at", detail: "must lie in the future" }],
  })
}

function beyond(within: readonly string[]): Problem {
  return new Problem(
    "insufficient-scope",
    `A key can be given only what your own may do, and the plan allows: ${within.join(", ")}.`,
  )
}

function keyOr(outcome: KeyOutcome, caller: Caller): ApiKey {
  if (typeof outcome === "object") return outcome
  if (outcome === "beyond") throw beyond(grantable(caller))
  if (outcome === "too-many")
    throw new Problem("keys-exceeded", `A tenant can have ${KEYS_MAX} keys that work.`)
  if (outcome === "ended") throw new Problem("key-ended", "Nothing was changed.")
  throw new Problem("key-not-found", "No key of your tenant has this id.")
}

function answerOf(key: ApiKey, nowMs: number): ApiKeyAnswer {
  const moment = (ms: number | null): string | null =>
    ms === null ? null : new Date(ms).toISOString()
  return {
    id: key.id,
    hint: key.hint,
    label: key.label,
    scopes: key.scopes,
    state: stateOf(key, nowMs),
    created_at: new Date(key.createdAt).toISOString(),
    expires_at: moment(key.expiresAt),
    revoked_at: moment(key.revokedAt),
    replaced_by: key.replacedBy,
  }
}

function stateOf(
  { revokedAt, expiresAt, replacedBy }: ApiKey,
  nowMs: number,
): ApiKeyAnswer["state"] {
  if (revokedAt !== null) return "revoked"
  if (expiresAt !== null && expiresAt <= nowMs) return "expired"
  return replacedBy === null ? "active" : "replaced"
}
