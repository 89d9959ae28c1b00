// What the public conformance plan for transmitters of OpenID Shared Signals checks, module by
// module, by a receiver that knows nothing but the standards: it finds its way from the discovery
// document and verifies by the key set that this names.
import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose"
import { EVENTS, type ProblemDetails, type TenantScope } from "@assay/core/contract"
import { hashApiKey, hintOf, mintApiKey } from "../../packages/server/src/accounts/api-key.ts"
import {
  type PushedToken,
  startPushReceiver,
} from "../../packages/server/testing/shared-signals/push-receiver.ts"
import { eventId } from "../../packages/stores/src/event-id.ts"
import type { NewEvent } from "../../packages/stores/src/records-events.ts"
import type { Records } from "../../packages/stores/src/records.ts"
import { openRecordsOf } from "./records-of.ts"
import { type Service, startService } from "./service.ts"

const ORIGIN = "https://risk.example"
const PUSH = "urn:ietf:rfc:8935"
const POLL = "urn:ietf:rfc:8936"
const SCHEMAS = "https://schemas.openid.net/secevent"
const RISK = `${SCHEMAS}/caep/event-type/risk-level-change`
const SESSION = `${SCHEMAS}/caep/event-type/session-revoked`
const COMPROMISE = `${SCHEMAS}/risc/event-type/credential-compromise`
const CHANGE = `${SCHEMAS}/risc/event-type/account-credential-change-required`
const VERIFICATION = `${SCHEMAS}/ssf/event-type/verification`
const UPDATED = `${SCHEMAS}/ssf/event-type/stream-updated`

interface Configuration {
  readonly issuer: string
  readonly jwks_uri: string
  readonly configuration_endpoint: string
  readonly status_endpoint: string
  readonly verification_endpoint: string
  readonly add_subject_endpoint: string
  readonly remove_subject_endpoint: string
  readonly [member: string]: unknown
}
interface Stream {
  readonly stream_id: string
  readonly iss: string
  readonly aud: string
  readonly delivery: { readonly method: string; readonly endpoint_url: string }
  readonly events_supported: string[]
  readonly events_requested: string[]
  readonly events_delivered: string[]
  readonly min_verification_interval: number
  readonly description?: string
}
type Claims = PushedToken["claims"]

/** A tenant with a key, as its receiver knows it. */
interface Tenant {
  readonly id: number
  readonly keyId: string
  readonly key: string
}

let service: Service
let records: Records
let mine: Tenant
let other: Tenant
let found: Configuration
let token: string

before(async () => {
  service = await startService({ args: ["--workers", "1"], env: { ASSAY_SSF_ORIGIN: ORIGIN } })
  records = await openRecordsOf(service.dataDirectory)
  mine = await newTenant("mine", ["webhooks:manage", "events:read"])
  other = await newTenant("other", ["webhooks:manage"])
  found = await discovered(mine)
  token = await tokenOf(mine, "ssf.read ssf.manage")
})
after(async () => {
  await records.close()
  await service.stop()
})

async function newTenant(name: string, scopes: TenantScope[]): Promise<Tenant> {
  const by = { at: Date.now(), actor: "test" }
  const { id } = await records.createTenant({ name, plan: "enterprise", ...by })
  return { id, ...(await newKey(id, scopes)) }
}

let keys = 0
async function newKey(tenantId: number, scopes: TenantScope[]) {
  const key = mintApiKey()
  const keyId = `key_${++keys}`
  await records.createKey({
    ...{ id: keyId, tenantId, hash: hashApiKey(key), hint: hintOf(key), label: "", scopes },
    ...{ at: Date.now(), expiresAt: null, actor: "test" },
  })
  return { keyId, key }
}

/** By the place where the service is, instead of the one where it is reached from outside. */
const here = (url: string): string => {
  assert.ok(url.startsWith(`${ORIGIN}/`), url)
  return service.baseUrl + url.slice(ORIGIN.length)
}

async function discovered({ key }: Tenant): Promise<Configuration> {
  const own = await service.request("/api/v1/shared-signals/streams", { key })
  const { configuration_url } = (await own.json()) as { configuration_url: string }
  const response = await fetch(here(configuration_url))
  assert.equal(response.status, 200)
  assert.match(response.headers.get("cache-control") ?? "", /max-age=\d+/)
  return (await response.json()) as Configuration
}

interface TokenAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
}
async function askToken(
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<TokenAnswer> {
  const response = await fetch(`${service.baseUrl}/oauth/token`, {
    method: "POST",
    headers,
    body: new URLSearchParams(form),
  })
  const body = (await response.json()) as Record<string, unknown>
  return { status: response.status, headers: response.headers, body }
}
const grant_type = "client_credentials"

async function tokenOf({ keyId, key }: Tenant, scope: string): Promise<string> {
  const form = { grant_type, client_id: keyId, client_secret: key, scope }
  const { status, body } = await askToken(form)
  assert.equal(status, 200, JSON.stringify(body))
  return String(body["access_token"])
}

interface Answer<T> {
  readonly status: number
  readonly headers: Headers
  readonly body: T
}
async function call<T = ProblemDetails>(
  method: string,
  url: string,
  json?: unknown,
  bearer: string | null = token,
): Promise<Answer<T>> {
  const response = await fetch(here(url), {
    method,
    headers: {
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      ...(json !== undefined && { "content-type": "application/json" }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })
  const text = await response.text()
  const body = (text === "" ? null : JSON.parse(text)) as T
  return { status: response.status, headers: response.headers, body }
}

async function created(asked: object = {}): Promise<Stream> {
  const { status, body } = await call<Stream>("POST", found.configuration_endpoint, asked)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}
async function deleted({ stream_id }: Stream): Promise<void> {
  const url = `${found.configuration_endpoint}?stream_id=${stream_id}`
  assert.equal((await call("DELETE", url)).status, 204)
}

async function happened(events: readonly Partial<NewEvent>[], tenantId = mine.id) {
  const made = events.map((event) => ({
    ...{ id: eventId(), tenantId, kind: "risk.email.changed", at: Date.now(), ref: "user-7" },
    ...{ identityKey: new Uint8Array(16).fill(7), sealed: null, data: risen(), ...event },
  })) as NewEvent[]
  await records.addEvents(made)
  return made
}

/** A change of risk from low to high. */
function risen(current: object = {}): object {
  const { example } = EVENTS["risk.email.changed"]
  return {
    ...example,
    previous: { ...example.previous, band: "low" },
    current: { ...example.current, ...current },
  }
}

/** Checks a token as RFC 8417 and the profile have it, by the published keys alone. */
async function verified(jwt: string, { aud, iss }: Stream): Promise<Claims> {
  const keySet = (await (await fetch(here(found.jwks_uri))).json()) as JSONWebKeySet
  const { payload } = await jwtVerify<Claims>(jwt, createLocalJWKSet(keySet), {
    ...{ issuer: iss, audience: aud, algorithms: ["RS256"], typ: "secevent+jwt" },
  })
  const { kid } = decodeProtectedHeader(jwt)
  const key = keySet.keys.find((each) => each.kid === kid)
  assert.ok(Buffer.from(key?.n ?? "", "base64url").length * 8 >= 2048)
  assert.equal(Object.keys(payload.events).length, 1, "exactly one event")
  assert.ok(!("sub" in payload) && !("exp" in payload), "no sub and no exp")
  assert.ok((payload.iat ?? Infinity) * 1000 <= Date.now(), "iat is not in the future")
  assert.ok(typeof payload.jti === "string" && typeof payload["txn"] === "string")
  return payload
}

// A client written from RFC 8936 and nothing else.
interface PollRequest {
  readonly maxEvents?: number
  readonly returnImmediately?: boolean
  readonly ack?: readonly string[]
  readonly setErrs?: Readonly<
    Record<string, { readonly err: string; readonly description?: string }>
  >
}
async function polled(stream: Stream, request: PollRequest) {
  const { status, body } = await call<{ sets: Record<string, string>; moreAvailable?: boolean }>(
    "POST",
    stream.delivery.endpoint_url,
    request,
  )
  assert.equal(status, 200, JSON.stringify(body))
  return { sets: body.sets, ids: Object.keys(body.sets), more: body.moreAvailable === true }
}
const AT_ONCE = { returnImmediately: true }

test("discovery names everything, by https", async () => {
  const { issuer, ...others } = found
  assert.match(issuer, /^https:\/\/risk\.example\/ssf\/[\w-]{22}$/)
  for (const [name, value] of Object.entries(others))
    if (/_endpoint$|_uri$/.test(name)) assert.match(String(value), /^https:\/\//, name)
  assert.equal(found["spec_version"], "1_0")
  assert.deepEqual(found["delivery_methods_supported"], [PUSH, POLL])
  assert.deepEqual(found["authorization_schemes"], [{ spec_urn: "urn:ietf:rfc:6749" }])
  assert.equal(found["default_subjects"], "ALL")
  assert.notEqual((await discovered(other)).issuer, issuer)
  for (const path of ["", "/ssf/", "/ssf/AAAAAAAAAAAAAAAAAAAAAA", "/ssf/1"]) {
    const response = await fetch(`${service.baseUrl}/.well-known/ssf-configuration${path}`)
    assert.equal(response.status, 404, path)
    assert.equal(((await response.json()) as ProblemDetails).code, "not-found")
  }
  const server = await fetch(`${service.baseUrl}/.well-known/oauth-authorization-server`)
  const { token_endpoint } = (await server.json()) as { token_endpoint: string }
  assert.equal(token_endpoint, `${ORIGIN}/oauth/token`)
})

test("the key set may be remembered, and holds public keys alone", async () => {
  const response = await fetch(here(found.jwks_uri))
  assert.match(response.headers.get("cache-control") ?? "", /public, max-age=300/)
  const { keys: published } = (await response.json()) as JSONWebKeySet
  assert.equal(published.length, 1)
  for (const key of published)
    assert.deepEqual(Object.keys(key).toSorted(), ["alg", "e", "kid", "kty", "n", "use"])
})

test("a token is given for an API key, for an hour at most, with the scopes of the key", async () => {
  const client = { client_id: mine.keyId, client_secret: mine.key }
  const all = await askToken({ grant_type, ...client })
  assert.equal(all.status, 200)
  const { access_token, ...rest } = all.body
  assert.deepEqual(rest, { token_type: "Bearer", expires_in: 3600, scope: "ssf.read ssf.manage" })
  assert.equal(all.headers.get("cache-control"), "no-store")
  assert.ok(!String(access_token).includes(mine.key))
  const basic = Buffer.from(`${mine.keyId}:${mine.key}`).toString("base64")
  const byHeader = await askToken(
    { grant_type, scope: "ssf.read" },
    { authorization: `Basic ${basic}` },
  )
  assert.deepEqual([byHeader.status, byHeader.body["scope"]], [200, "ssf.read"])
})

test("whoever asks for a token wrongly is told so as RFC 6749 has it", async () => {
  const client = { client_id: mine.keyId, client_secret: mine.key }
  const reader = { ...other, ...(await newKey(other.id, ["events:read"])) }
  const scorer = { ...other, ...(await newKey(other.id, ["score"])) }
  const ofReader = { client_id: reader.keyId, client_secret: reader.key }
  const cases: [Record<string, string>, number, string][] = [
    [{ grant_type }, 401, "invalid_client"],
    [{ grant_type, ...client, client_id: other.keyId }, 401, "invalid_client"],
    [{ grant_type, ...client, client_secret: mintApiKey() }, 401, "invalid_client"],
    [{ grant_type, ...client, client_secret: "x" }, 401, "invalid_client"],
    [{ ...client }, 400, "invalid_request"],
    [{ grant_type: "password", ...client }, 400, "unsupported_grant_type"],
    [{ grant_type, ...client, scope: "ssf.read admin" }, 400, "invalid_scope"],
    [{ grant_type, ...ofReader, scope: "ssf.manage" }, 400, "invalid_scope"],
    [
      { grant_type, client_id: scorer.keyId, client_secret: scorer.key },
      ...([400, "unauthorized_client"] as const),
    ],
  ]
  for (const [form, status, error] of cases) {
    const answer = await askToken(form)
    assert.deepEqual([answer.status, answer.body["error"]], [status, error])
    if (status === 401) assert.match(answer.headers.get("www-authenticate") ?? "", /^Basic /)
    assert.ok(!JSON.stringify(answer.body).includes(mine.key))
  }
  const twice = await fetch(`${service.baseUrl}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams([
      ...Object.entries({ grant_type, ...client }),
      ["scope", ""],
      ["scope", ""],
    ]),
  })
  assert.equal(twice.status, 400)
  const json = await call<{ error: string }>("POST", `${ORIGIN}/oauth/token`, { grant_type }, null)
  assert.deepEqual([json.status, json.body.error], [400, "invalid_request"])
  const ofReading = await askToken({ grant_type, ...ofReader })
  assert.equal(ofReading.body["scope"], "ssf.read")
})

test("a wrong token is 401, and one without the scope 403", async () => {
  const { configuration_endpoint: url } = found
  const read = await tokenOf(mine, "ssf.read")
  for (const bearer of [null, "x", `${token}x`, `ssf_${"A".repeat(90)}`, mine.key]) {
    const { status, headers } = await call("GET", url, undefined, bearer)
    assert.equal(status, 401)
    assert.match(headers.get("www-authenticate") ?? "", /^Bearer /)
  }
  assert.equal((await call("GET", url, undefined, read)).status, 200)
  const refused = await call("POST", url, {}, read)
  assert.deepEqual([refused.status, refused.body.code], [403, "insufficient-scope"])
  assert.match(refused.headers.get("www-authenticate") ?? "", /error="insufficient_scope"/)
  // A token of this kind is none of the API, whose keys are none here.
  const ofApi = await service.request("/api/v1/webhooks", { key: token })
  assert.equal(ofApi.status, 401)
})

test("a token ends with its key", async () => {
  const { keyId, key } = await newKey(mine.id, ["webhooks:manage"])
  const own = await tokenOf({ id: mine.id, keyId, key }, "ssf.read")
  const { configuration_endpoint: url } = found
  assert.equal((await call("GET", url, undefined, own)).status, 200)
  await records.revokeKey({ id: keyId, at: Date.now(), actor: "test" })
  const deadline = Date.now() + 30_000
  while ((await call("GET", url, undefined, own)).status !== 401) {
    assert.ok(Date.now() < deadline, "it never ended")
    await delay(200)
  }
})

test("a stream is created, read, updated, replaced and deleted", async () => {
  const { configuration_endpoint: url } = found
  const asked = [RISK, SESSION, "https://example.com/unknown"]
  const stream = await created({ events_requested: asked, description: "first" })
  assert.equal(stream.iss, found.issuer)
  assert.ok(stream.aud.length > 0)
  assert.deepEqual(stream.delivery, {
    method: POLL,
    endpoint_url: `${ORIGIN}/ssf/streams/${stream.stream_id}/poll`,
  })
  assert.ok(stream.events_supported.includes(SESSION), "as the interoperability profile wants")
  assert.deepEqual(stream.events_supported, [RISK, SESSION, COMPROMISE, CHANGE])
  assert.deepEqual(stream.events_requested, asked)
  assert.deepEqual(stream.events_delivered, [RISK, SESSION])

  const second = await created()
  assert.notEqual(second.aud, stream.aud)
  // Nobody has to do anything unless somebody said so.
  assert.deepEqual(second.events_delivered, [RISK, COMPROMISE])
  const all = await call<Stream[]>("GET", url)
  assert.deepEqual(all.body, [stream, second])
  const one = `${url}?stream_id=${stream.stream_id}`
  assert.deepEqual((await call("GET", one)).body, stream)

  const { stream_id } = stream
  const patched = await call<Stream>("PATCH", url, { stream_id, events_requested: [COMPROMISE] })
  assert.equal(patched.status, 200)
  assert.deepEqual(patched.body, {
    ...stream,
    events_requested: [COMPROMISE],
    events_delivered: [COMPROMISE],
  })
  const put = await call<Stream>("PUT", url, { ...patched.body, description: "again" })
  assert.deepEqual(put.body, { ...patched.body, description: "again" })
  const bare = await call<Stream>("PUT", url, { stream_id })
  assert.deepEqual(bare.body.events_delivered, [RISK, COMPROMISE])
  assert.ok(!("description" in bare.body))
  for (const wrong of [{ iss: "https://other.example" }, { aud: "other" }])
    assert.equal((await call("PATCH", url, { stream_id, ...wrong })).status, 400)

  await deleted(second)
  await deleted(stream)
  assert.equal((await call("GET", one)).status, 404)
})

test("what is broken is 400, what is unknown 404, and too many streams 409", async () => {
  const { configuration_endpoint: url } = found
  const push = { delivery: { method: PUSH, endpoint_url: "https://192.168.0.1/" } }
  for (const broken of [
    { delivery: "push" },
    { delivery: { method: "urn:example:other" } },
    { delivery: { method: PUSH } },
    { delivery: { method: PUSH, endpoint_url: "http://93.184.216.34/" } },
    push,
    {
      delivery: {
        method: PUSH,
        endpoint_url: "https://example.com/",
        authorization_header: "a\nb",
      },
    },
    { events_requested: "all" },
    { description: "call +61491570156" },
    [],
  ])
    assert.equal((await call("POST", url, broken)).status, 400, JSON.stringify(broken))
  const notJson = await fetch(here(url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{",
  })
  assert.equal(notJson.status, 400)
  const stream_id = "str_unknown"
  const subject = { format: "opaque", id: "x" }
  for (const [method, to, json] of [
    ["GET", `${url}?stream_id=${stream_id}`],
    ["DELETE", `${url}?stream_id=${stream_id}`],
    ["PATCH", url, { stream_id }],
    ["PUT", url, { stream_id }],
    ["GET", `${found.status_endpoint}?stream_id=${stream_id}`],
    ["POST", found.status_endpoint, { stream_id, status: "paused" }],
    ["POST", found.verification_endpoint, { stream_id }],
    ["POST", found.add_subject_endpoint, { stream_id, subject }],
    ["POST", found.remove_subject_endpoint, { stream_id, subject }],
    ["POST", `${ORIGIN}/ssf/streams/${stream_id}/poll`, {}],
  ] as const)
    assert.equal((await call(method, to, json)).status, 404, `${method} ${to}`)
  assert.equal((await call("DELETE", url)).status, 400)

  const streams = []
  for (let n = 0; n < 10; n++) streams.push(await created())
  const beyond = await call("POST", url, {})
  assert.deepEqual([beyond.status, beyond.body.code], [409, "shared-streams-exceeded"])
  for (const stream of streams) await deleted(stream)
})

test("whatever is sent to these paths, nothing fails on our side", async () => {
  const stream = await created()
  const paths = [
    ...["/oauth/token", "/ssf/stream", "/ssf/status", "/ssf/verify", "/ssf/subjects/add"],
    ...["/ssf/subjects/remove", `/ssf/streams/${stream.stream_id}/poll`, "/ssf/streams/%00/poll"],
  ]
  const deep = "[".repeat(100) + "]".repeat(100)
  const odd = ["", "{}", "[]", "null", "7", '"x"', "{", "\u0000", deep, "a=b&a=b", "%zz=%ff"]
  const bodies = [...odd, `{"ack":[${'"x",'.repeat(5_000)}"x"]}`, "x".repeat(2_000_000)]
  const types = [
    "application/json",
    "application/x-www-form-urlencoded",
    "text/plain",
    "x".repeat(300),
  ]
  const tried = { returnImmediately: true, ack: ["", ".", "evt_.x"], maxEvents: 1e9 }
  for (const path of paths)
    for (const method of ["POST", "PATCH", "PUT"])
      for (const body of [
        ...bodies,
        JSON.stringify({ ...tried, setErrs: JSON.parse('{"__proto__":{"err":"x"}}') as object }),
      ])
        for (const type of types) {
          const headers = { authorization: `Bearer ${token}`, "content-type": type }
          const response = await fetch(service.baseUrl + path, { method, headers, body })
          await response.arrayBuffer()
          const told = `${method} ${path} ${type.slice(0, 40)} ${body.slice(0, 40)}: ${response.status}`
          assert.ok(response.status < 500, told)
        }
  assert.doesNotMatch(service.stderr(), /request failed/)
  for (const each of (await call<Stream[]>("GET", found.configuration_endpoint)).body)
    await deleted(each)
})

test("another tenant's receiver reaches none of it", async () => {
  const stream = await created()
  const { stream_id } = stream
  const theirs = await tokenOf(other, "ssf.read ssf.manage")
  const { configuration_endpoint: url } = found
  assert.deepEqual((await call("GET", url, undefined, theirs)).body, [])
  for (const [method, to, json] of [
    ["GET", `${url}?stream_id=${stream_id}`],
    ["DELETE", `${url}?stream_id=${stream_id}`],
    ["PATCH", url, { stream_id }],
    ["POST", found.status_endpoint, { stream_id, status: "disabled" }],
    ["POST", found.verification_endpoint, { stream_id }],
    ["POST", stream.delivery.endpoint_url, AT_ONCE],
  ] as const)
    assert.equal((await call(method, to, json, theirs)).status, 404, `${method} ${to}`)
  await happened([{}], other.id)
  assert.deepEqual((await polled(stream, AT_ONCE)).ids, [])
  await deleted(stream)
})

test("a stream is paused, which holds, and disabled, which does not", async () => {
  const stream = await created()
  const { stream_id } = stream
  const read = `${found.status_endpoint}?stream_id=${stream_id}`
  assert.deepEqual((await call("GET", read)).body, { stream_id, status: "enabled" })
  const set = async (status: string, reason?: string) =>
    (await call("POST", found.status_endpoint, { stream_id, status, reason })).body as unknown
  assert.deepEqual(await set("paused", "moving"), { stream_id, status: "paused", reason: "moving" })
  assert.deepEqual((await call("GET", read)).body, {
    ...{ stream_id, status: "paused", reason: "moving" },
  })
  const [held] = await happened([{}])
  assert.deepEqual((await polled(stream, AT_ONCE)).ids, [])
  await set("enabled")
  assert.deepEqual((await polled(stream, AT_ONCE)).ids, [`${held?.id}.risk-level-change`])
  await set("disabled")
  await happened([{}])
  await set("enabled")
  assert.deepEqual((await polled(stream, AT_ONCE)).ids, [])
  assert.equal(
    (await call("POST", found.status_endpoint, { stream_id, status: "off" })).status,
    400,
  )
  await deleted(stream)
})

test("a verification comes back with its state, about the stream", async () => {
  const stream = await created()
  const { stream_id } = stream
  const ask = async (state?: string) =>
    await call("POST", found.verification_endpoint, { stream_id, state })
  assert.equal((await ask("VGhpcyBpcyBhbiBleGFtcGxl")).status, 204)
  const soon = await ask("again")
  assert.deepEqual([soon.status, soon.body.code], [429, "verification-too-soon"])
  assert.equal(soon.headers.get("retry-after"), String(stream.min_verification_interval))
  const { sets, ids } = await polled(stream, {})
  assert.equal(ids.length, 1)
  const claims = await verified(sets[ids[0] ?? ""] ?? "", stream)
  assert.deepEqual(claims.events, { [VERIFICATION]: { state: "VGhpcyBpcyBhbiBleGFtcGxl" } })
  assert.deepEqual(claims["sub_id"], { format: "opaque", id: stream_id })
  assert.equal(claims.jti, ids[0])
  assert.deepEqual((await polled(stream, { ...AT_ONCE, ack: ids })).ids, [])
  await deleted(stream)
})

test("a verification wakes whoever waits for events", async () => {
  const stream = await created()
  const waiting = polled(stream, {})
  const { stream_id } = stream
  assert.equal((await call("POST", found.verification_endpoint, { stream_id })).status, 204)
  const { sets } = await waiting
  const [jwt = ""] = Object.values(sets)
  assert.deepEqual((await verified(jwt, stream)).events, { [VERIFICATION]: {} })
  await deleted(stream)
})

test("a subject that is removed is told of no more until it is added", async () => {
  const stream = await created()
  const { stream_id } = stream
  const subject = { format: "iss_sub", iss: found.issuer, sub: "user-7" }
  const refs = ["user-7", "user-8"]
  const told = async () => {
    await happened(refs.map((ref) => ({ ref })))
    const { sets, ids } = await polled(stream, AT_ONCE)
    const subjects = await Promise.all(
      Object.values(sets).map(async (jwt) => (await verified(jwt, stream))["sub_id"]),
    )
    await polled(stream, { ...AT_ONCE, ack: ids })
    return subjects.map((each) => (each as { sub: string }).sub)
  }
  assert.deepEqual(await told(), refs)
  const removed = await call("POST", found.remove_subject_endpoint, { stream_id, subject })
  assert.equal(removed.status, 204)
  assert.deepEqual(await told(), ["user-8"])
  const added = await call("POST", found.add_subject_endpoint, {
    stream_id,
    subject,
    verified: true,
  })
  assert.deepEqual([added.status, added.body], [200, null])
  assert.deepEqual(await told(), refs)
  for (const [wrong, status] of [
    [{ format: "email", email: "user@example.com" }, 400],
    [{ format: "iss_sub", iss: "https://other.example", sub: "user-7" }, 404],
    [{ format: "opaque", id: "user-7" }, 404],
  ] as const) {
    const answer = await call("POST", found.remove_subject_endpoint, { stream_id, subject: wrong })
    assert.equal(answer.status, status, JSON.stringify(wrong))
  }
  await deleted(stream)
})

test("poll only: what is not acknowledged comes again, as many as are wanted, in order", async () => {
  const stream = await created({ events_requested: [RISK] })
  const events = await happened(["a", "b", "c"].map((ref) => ({ ref })))
  const ids = events.map(({ id }) => `${id}.risk-level-change`)
  const first = await polled(stream, { ...AT_ONCE, maxEvents: 2 })
  assert.deepEqual([first.ids, first.more], [ids.slice(0, 2), true])
  const again = await polled(stream, AT_ONCE)
  assert.deepEqual([again.ids, again.more], [ids, false])
  for (const [jti, jwt] of Object.entries(again.sets)) {
    const claims = await verified(jwt, stream)
    const { id, at } = events.find((event) => jti.startsWith(event.id)) ?? assert.fail(jti)
    assert.deepEqual([claims.jti, claims["txn"]], [jti, id])
    const [type, event] = Object.entries(claims.events)[0] ?? []
    assert.equal(type, RISK)
    assert.equal(event?.["event_timestamp"], Math.floor(at / 1000))
    assert.deepEqual([event["previous_level"], event["current_level"]], ["LOW", "HIGH"])
  }
  await deleted(stream)
})

test("poll and acknowledge, in any order, and acknowledge only", async () => {
  const stream = await created({ events_requested: [RISK] })
  const events = await happened(["a", "b", "c", "d"].map((ref) => ({ ref })))
  const [a = "", b = "", c = "", d = ""] = events.map(({ id }) => `${id}.risk-level-change`)
  assert.deepEqual((await polled(stream, AT_ONCE)).ids, [a, b, c, d])
  assert.deepEqual((await polled(stream, { ...AT_ONCE, ack: [c, a] })).ids, [b, d])
  const ackOnly = await polled(stream, { maxEvents: 0, ack: [b, "never-sent", c] })
  assert.deepEqual([ackOnly.ids, ackOnly.more], [[], true])
  assert.deepEqual((await polled(stream, AT_ONCE)).ids, [d])
  // What the receiver cannot take is noted, and does not come for ever.
  const setErrs = { [d]: { err: "authentication_failed", description: "whoever" } }
  assert.deepEqual((await polled(stream, { ...AT_ONCE, setErrs })).ids, [])
  const own = await service.request(`/api/v1/shared-signals/streams/${stream.stream_id}`, {
    key: mine.key,
  })
  const { last_fault, behind } = (await own.json()) as {
    last_fault: { code: string }
    behind: number
  }
  assert.deepEqual([last_fault.code, behind], ["authentication_failed", 0])
  await deleted(stream)
})

test("whoever does not want an answer at once waits for an event", async () => {
  const stream = await created({ events_requested: [RISK] })
  const waiting = polled(stream, { maxEvents: 5 })
  const [event] = await happened([{}])
  assert.deepEqual((await waiting).ids, [`${event?.id}.risk-level-change`])
  await deleted(stream)
})

test("what was taken stays taken after a crash, and what was not comes again", async () => {
  await using own = await startService({
    args: ["--workers", "1"],
    env: { ASSAY_SSF_ORIGIN: ORIGIN },
  })
  const ownRecords = await openRecordsOf(own.dataDirectory)
  const key = mintApiKey()
  const by = { at: Date.now(), actor: "test" }
  const { id: tenantId } = await ownRecords.createTenant({ name: "t", plan: "enterprise", ...by })
  const scopes = ["webhooks:manage"] as const
  await ownRecords.createKey({
    ...{ id: "crash", tenantId, hash: hashApiKey(key), hint: "", label: "", scopes, ...by },
    expiresAt: null,
  })
  const form = { grant_type, client_id: "crash", client_secret: key }
  const bearer = async (at: Service): Promise<string> => {
    const body = new URLSearchParams(form)
    const answer = await fetch(`${at.baseUrl}/oauth/token`, { method: "POST", body })
    return ((await answer.json()) as { access_token: string }).access_token
  }
  const send = async (at: Service, path: string, json: object) => {
    const headers = {
      authorization: `Bearer ${await bearer(at)}`,
      "content-type": "application/json",
    }
    const init = { method: "POST", headers, body: JSON.stringify(json) }
    return (await (await fetch(at.baseUrl + path, init)).json()) as Stream & {
      sets: Record<string, string>
    }
  }
  const { stream_id } = await send(own, "/ssf/stream", { events_requested: [RISK] })
  const events = ["a", "b"].map((ref) => ({
    ...{ id: eventId(), tenantId, kind: "risk.email.changed" as const, at: Date.now(), ref },
    ...{ identityKey: null, sealed: null, data: risen() },
  }))
  await ownRecords.addEvents(events)
  await ownRecords.close()
  const [a, b] = events.map(({ id }) => `${id}.risk-level-change`)
  const path = `/ssf/streams/${stream_id}/poll`
  await send(own, path, { returnImmediately: true, ack: [a] })
  await own.kill()
  await using again = await startService({
    args: ["--workers", "1"],
    env: { ASSAY_SSF_ORIGIN: ORIGIN },
    dataDirectory: own.dataDirectory,
  })
  const { sets } = await send(again, path, { returnImmediately: true })
  assert.deepEqual(Object.keys(sets), [b])
})

test("push: tokens arrive in order, with the receiver's header, and verify", async () => {
  const receiver = await startPushReceiver()
  const header = "Bearer of-the-receiver-5c1e77"
  const stream = await created({
    events_requested: [RISK, SESSION, COMPROMISE],
    delivery: { method: PUSH, endpoint_url: receiver.url, authorization_header: header },
  })
  assert.deepEqual(stream.delivery, { method: PUSH, endpoint_url: receiver.url })
  const attacked = risen({ threat_stage: "ATTACKED", band: "critical" })
  const exposure = {
    ref: "user-9",
    watched: "email",
    source: null,
    kind: "breach",
    last_seen: null,
  }
  const events = await happened([
    { data: attacked },
    { kind: "exposure.added", ref: "user-9", data: { ...exposure, password: true } },
    { ref: "user-8" },
  ])
  const pushed = await receiver.until(4)
  const [one, two, three] = events.map(({ id }) => id)
  assert.deepEqual(
    pushed.map(({ claims }) => claims.jti),
    [
      `${one}.risk-level-change`,
      `${one}.session-revoked`,
      `${two}.credential-compromise`,
      `${three}.risk-level-change`,
    ],
  )
  for (const { token: jwt, headers, claims } of pushed) {
    assert.deepEqual(await verified(jwt, stream), claims)
    assert.equal(headers["content-type"], "application/secevent+jwt")
    assert.equal(headers.authorization, header)
  }
  const { stream_id } = stream
  const verify = { stream_id, state: "over push" }
  assert.equal((await call("POST", found.verification_endpoint, verify)).status, 204)
  const last = (await receiver.until(5))[4]
  assert.deepEqual(last?.claims.events, { [VERIFICATION]: { state: "over push" } })

  // Sent back as it was read it keeps its header, and without one for another address.
  const patched = await call("PATCH", found.configuration_endpoint, {
    ...{ stream_id, delivery: stream.delivery },
  })
  assert.equal(patched.status, 200)
  const elsewhere = await startPushReceiver()
  await happened([{ ref: "kept" }])
  assert.equal((await receiver.until(6))[5]?.headers.authorization, header)
  const moved = { method: PUSH, endpoint_url: elsewhere.url }
  await call("PATCH", found.configuration_endpoint, { stream_id, delivery: moved })
  await happened([{ ref: "moved" }])
  assert.equal((await elsewhere.until(1))[0]?.headers.authorization, undefined)
  assert.equal(receiver.pushed.length, 6)
  assert.ok(!service.stderr().includes("of-the-receiver"))
  await deleted(stream)
  await receiver.close()
  await elsewhere.close()
})

test("push: what is not taken comes again with the same id, and later ones wait for it", async () => {
  const receiver = await startPushReceiver((_, n) =>
    n === 0 ? { status: 400, body: '{"err":"invalid_key"}' } : { status: 202 },
  )
  const delivery = { method: PUSH, endpoint_url: receiver.url }
  const stream = await created({ events_requested: [RISK], delivery })
  const [first, second] = await happened([{ ref: "a" }, { ref: "b" }])
  await receiver.until(1)
  const own = `/api/v1/shared-signals/streams/${stream.stream_id}`
  const deadline = Date.now() + 30_000
  for (;;) {
    const response = await service.request(own, { key: mine.key })
    const body = (await response.json()) as {
      last_fault: { code: string } | null
      behind: number
      next_attempt_at: string | null
    }
    if (body.last_fault !== null) {
      assert.deepEqual([body.last_fault.code, body.behind], ["invalid_key", 2])
      assert.ok(body.next_attempt_at !== null)
      break
    }
    assert.ok(Date.now() < deadline, "the fault never showed")
    await delay(50)
  }
  const ids = (await receiver.until(3)).map(({ claims }) => claims.jti)
  const [a, b] = [first, second].map((event) => `${event?.id}.risk-level-change`)
  assert.deepEqual(ids, [a, a, b])
  await deleted(stream)
  await receiver.close()
})

test("an owner makes a stream for Okta, pauses it and verifies it", async () => {
  const receiver = await startPushReceiver()
  const path = "/api/v1/shared-signals/streams"
  const { key } = mine
  const made = await service.request(path, {
    key,
    json: {
      ...{ method: "push", url: receiver.url, authorization: "SSWS secret-of-okta" },
      ...{ dialect: "okta", audience: "https://acme.okta.com" },
      ...{ subject_issuer: "https://acme.okta.com", events: ["risk-level-change"] },
    },
  })
  const text = await made.text()
  assert.equal(made.status, 201, text)
  assert.ok(!text.includes("secret-of-okta"))
  const stream = JSON.parse(text) as { id: string; has_authorization: boolean }
  assert.equal(stream.has_authorization, true)
  const [event] = await happened([{}])
  const [pushed] = await receiver.until(1)
  assert.equal(pushed?.headers.authorization, "SSWS secret-of-okta")
  const { events, aud, iss, jti, ...rest } = pushed.claims
  assert.deepEqual([aud, iss], ["https://acme.okta.com", found.issuer])
  assert.equal(jti, `${event?.id}.risk-level-change`)
  assert.ok(!("sub_id" in rest))
  const [type, about] = Object.entries(events)[0] ?? []
  assert.equal(type, "https://schemas.okta.com/secevent/okta/event-type/user-risk-change")
  assert.deepEqual(about?.["subject"], {
    user: { format: "iss_sub", iss: "https://acme.okta.com", sub: "user-7" },
  })
  assert.deepEqual([about["previous_level"], about["current_level"]], ["low", "high"])

  const change = async (json: object) =>
    await service.request(`${path}/${stream.id}`, { method: "PATCH", key, json })
  assert.equal((await change({ status: "paused", reason: "maintenance" })).status, 200)
  const updated = (await receiver.until(2))[1]
  assert.deepEqual(updated?.claims.events, {
    [UPDATED]: { status: "paused", reason: "maintenance" },
  })
  const asked = await service.request(`${path}/${stream.id}/verify`, { method: "POST", key })
  assert.equal(asked.status, 202)
  const { state } = (await asked.json()) as { state: string }
  assert.deepEqual((await receiver.until(3))[2]?.claims.events, { [VERIFICATION]: { state } })
  const deadline = Date.now() + 30_000
  for (;;) {
    const response = await service.request(`${path}/${stream.id}`, { key })
    const shown = (await response.json()) as { verification: { taken_at: string | null } }
    if (shown.verification.taken_at !== null) break
    assert.ok(Date.now() < deadline, "it was never taken")
    await delay(50)
  }
  for (const wrong of [
    { reason: "alone" },
    { subject_format: "opaque", subject_issuer: "https://acme.okta.com" },
    {},
  ])
    assert.equal((await change(wrong)).status, 400, JSON.stringify(wrong))
  assert.equal((await change({ url: "https://10.0.0.1/" })).status, 422)
  for (const wrong of [
    { method: "push" },
    { method: "poll", url: "https://example.com/" },
    { method: "poll", dialect: "okta" },
  ])
    assert.equal((await service.request(path, { key, json: wrong })).status, 400)
  const gone = await service.request(`${path}/${stream.id}`, { method: "DELETE", key })
  assert.equal(gone.status, 204)
  await receiver.close()
})

test("who changed a stream is in the audit trail, without its secrets", async () => {
  const entries = await records.audit({ limit: 100 })
  const own = entries.filter(({ action }) => action.startsWith("shared-signals."))
  const actions = new Set(own.map(({ action }) => action))
  for (const action of ["create", "change", "delete", "rotate"])
    assert.ok(actions.has(`shared-signals.${action}`), action)
  assert.doesNotMatch(JSON.stringify(own), /of-the-receiver|secret-of-okta|127\.0\.0\.1/)
})

test("where it is off, its paths do not exist, and nobody has streams", async () => {
  await using off = await startService({ args: ["--workers", "1"] })
  for (const [method, path] of [
    ["GET", "/ssf/jwks.json"],
    ["GET", "/ssf/stream"],
    ["POST", "/oauth/token"],
    ["GET", "/.well-known/oauth-authorization-server"],
    ["GET", "/.well-known/ssf-configuration/ssf/AAAAAAAAAAAAAAAAAAAAAA"],
  ] as const) {
    const response = await fetch(off.baseUrl + path, { method })
    assert.equal(response.status, 404, path)
    assert.equal(((await response.json()) as ProblemDetails).code, "not-found")
  }
  const own = await off.request("/api/v1/shared-signals/streams")
  assert.equal(own.status, 404)
  assert.equal(((await own.json()) as ProblemDetails).code, "shared-signals-off")
  const data = await openRecordsOf(off.dataDirectory)
  assert.deepEqual(await data.sharedKeys(), [])
  await data.close()
})
