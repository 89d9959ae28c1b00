import assert from "node:assert/strict"
import { test } from "node:test"
import { SignalFailure } from "../signal-failure.ts"
import { type AccessTokens, openAccessTokens } from "./access-tokens.ts"
import { readClientKey } from "./client-key.ts"
import {
  breaking,
  documented,
  failing,
  openTestCarrier,
  type Reply,
  saying,
  silent,
  type TestCarrier,
  token,
} from "../../../../testing/score/providers/camara/test-carrier.ts"

const SCOPES = "dpv:FraudPreventionAndDetection sim-swap:check"
const patient = new AbortController().signal

interface Opened {
  readonly carrier: TestCarrier
  readonly tokens: AccessTokens
  readonly closing: AbortController
  readonly clock: { nowMs: number }
}

async function opened(replies: readonly Reply[], requestMs = 10_000): Promise<Opened> {
  const carrier = await openTestCarrier()
  carrier.answerTokens(...replies)
  const closing = new AbortController()
  const clock = { nowMs: Date.parse("2026-03-01T12:00:00Z") }
  const { settings } = carrier
  const tokens = openAccessTokens({
    url: settings.token_url,
    clientId: settings.client_id,
    key: readClientKey(settings),
    requestMs,
    closing: closing.signal,
    now: () => clock.nowMs,
  })
  return { carrier, tokens, closing, clock }
}

test("a token is asked for with client credentials and an assertion, for the scopes and nothing more", async () => {
  const { carrier, tokens } = await opened([token("token-1")])
  assert.equal(await tokens.get(SCOPES, patient), "token-1")
  const [request] = carrier.tokenRequests
  assert.equal(request?.headers["content-type"], "application/x-www-form-urlencoded")
  assert.equal(request.headers["authorization"], undefined)
  const form = new URLSearchParams(request.body)
  assert.deepEqual([...form.keys()].sort(), [
    "client_assertion",
    "client_assertion_type",
    "client_id",
    "grant_type",
    "scope",
  ])
  assert.equal(form.get("grant_type"), "client_credentials")
  assert.equal(form.get("scope"), SCOPES)
  assert.equal(form.get("client_id"), "client-7")
  assert.equal(
    form.get("client_assertion_type"),
    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  )
})

test("a token is kept for its scopes, and other scopes get another", async () => {
  const { carrier, tokens } = await opened([token("token-1"), token("token-2")])
  assert.equal(await tokens.get(SCOPES, patient), "token-1")
  assert.equal(await tokens.get(SCOPES, patient), "token-1")
  assert.equal(await tokens.get("kyc-tenure:check-tenure", patient), "token-2")
  assert.equal(carrier.tokenRequests.length, 2)
})

test("many who need the same token wait for one request", async () => {
  const { carrier, tokens } = await opened([token("token-1"), token("token-2")])
  const got = await Promise.all(Array.from({ length: 20 }, () => tokens.get(SCOPES, patient)))
  assert.deepEqual(new Set(got), new Set(["token-1"]))
  assert.equal(carrier.tokenRequests.length, 1)
})

test("before a token runs out a new one is fetched, and meanwhile the old one is used", async () => {
  const { carrier, tokens, clock } = await opened([token("token-1", 100), token("token-2", 100)])
  await tokens.get(SCOPES, patient)
  clock.nowMs += 79_000
  assert.equal(await tokens.get(SCOPES, patient), "token-1")
  assert.equal(carrier.tokenRequests.length, 1)
  clock.nowMs += 2000
  assert.equal(await tokens.get(SCOPES, patient), "token-1")
  while ((await tokens.get(SCOPES, patient)) === "token-1")
    await new Promise((resolve) => setImmediate(resolve))
  assert.equal(await tokens.get(SCOPES, patient), "token-2")
  assert.equal(carrier.tokenRequests.length, 2)
})

test("while a token is good, an endpoint that fails is not asked with every question", async () => {
  const { promise: refused, resolve: refuse } = Promise.withResolvers<undefined>()
  const failure: Reply = (response) => {
    response.on("close", () => refuse(undefined))
    failing(500)(response)
  }
  const { carrier, tokens, clock } = await opened([
    token("token-1", 100),
    failure,
    token("token-2"),
  ])
  await tokens.get(SCOPES, patient)
  clock.nowMs += 81_000
  assert.equal(await tokens.get(SCOPES, patient), "token-1")
  await refused
  for (let n = 0; n < 50; n++) {
    assert.equal(await tokens.get(SCOPES, patient), "token-1")
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.equal(carrier.tokenRequests.length, 2)
  clock.nowMs += 5000
  while ((await tokens.get(SCOPES, patient)) === "token-1") {
    await new Promise((resolve) => setImmediate(resolve))
    clock.nowMs += 1000
  }
  assert.equal(carrier.tokenRequests.length, 3)
})

test("a token that ran out is not used, also where a new one cannot be had", async () => {
  const { tokens, clock } = await opened([token("token-1", 100), failing(500)])
  await tokens.get(SCOPES, patient)
  clock.nowMs += 96_000
  await assert.rejects(tokens.get(SCOPES, patient), SignalFailure)
})

test("a token that is dropped is not used again; dropping an older one changes nothing", async () => {
  const { carrier, tokens } = await opened([token("token-1"), token("token-2")])
  await tokens.get(SCOPES, patient)
  tokens.drop(SCOPES, "token-1")
  assert.equal(await tokens.get(SCOPES, patient), "token-2")
  tokens.drop(SCOPES, "token-1")
  assert.equal(await tokens.get(SCOPES, patient), "token-2")
  assert.equal(carrier.tokenRequests.length, 2)
})

test("one who gives up does not take the token from those who wait on", async () => {
  let release = (): void => undefined
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<undefined>()
  const held: Reply = (response) => {
    release = () => token("token-1")(response)
    arrive(undefined)
  }
  const { carrier, tokens } = await opened([held])
  const hasty = new AbortController()
  const first = tokens.get(SCOPES, hasty.signal)
  const second = tokens.get(SCOPES, patient)
  await arrived
  hasty.abort()
  await assert.rejects(
    first,
    (error) => error instanceof SignalFailure && error.status === "timeout",
  )
  release()
  assert.equal(await second, "token-1")
  assert.equal(carrier.tokenRequests.length, 1)
  await assert.rejects(tokens.get("other", hasty.signal), SignalFailure)
})

test("a refusal of a token endpoint gives its code and what it means", async () => {
  const refusing = (http: number, error: unknown): Reply =>
    saying(http, JSON.stringify({ error, error_description: "secret" }))
  for (const [reply, status, code] of [
    [refusing(401, "invalid_client"), "unauthorized", "invalid_client"],
    [refusing(400, "invalid_scope"), "unauthorized", "invalid_scope"],
    [refusing(400, "unauthorized_client"), "unauthorized", "unauthorized_client"],
    [refusing(400, "invalid_grant"), "consent_required", "invalid_grant"],
    [refusing(403, "access_denied"), "consent_required", "access_denied"],
    [refusing(400, "consent_required"), "consent_required", "consent_required"],
    [refusing(400, "invalid_request"), "error", "invalid_request"],
    [refusing(400, "something_new"), "error", "something_new"],
    [refusing(400, "constructor"), "error", "constructor"],
    [refusing(400, "+61491570156"), "error", "http_400"],
    [refusing(401, 7), "unauthorized", "http_401"],
    [failing(429), "rate_limited", "http_429"],
    [failing(500), "error", "http_500"],
    [failing(503), "error", "http_503"],
    [failing(504), "timeout", "http_504"],
    [failing(404), "error", "http_404"],
    [breaking, "error", "connection_failed"],
  ] as const) {
    const { tokens } = await opened([reply])
    await assert.rejects(
      tokens.get(SCOPES, patient),
      (error) =>
        error instanceof SignalFailure &&
        error.status === status &&
        error.code === code &&
        error.cause === undefined,
      code,
    )
  }
})

test("an answer that is no token is none", async () => {
  const good = { access_token: "token-1", token_type: "bearer", expires_in: 60 }
  for (const wrong of [
    {},
    [],
    { ...good, access_token: undefined },
    { ...good, access_token: "" },
    { ...good, access_token: "two\nlines" },
    { ...good, access_token: 7 },
    { ...good, token_type: "mac" },
    { ...good, token_type: undefined },
    { ...good, expires_in: "60" },
    { ...good, expires_in: -1 },
  ]) {
    const { tokens } = await opened([documented(wrong)])
    await assert.rejects(
      tokens.get(SCOPES, patient),
      (error) => error instanceof SignalFailure && error.code === "malformed",
    )
  }
  const { tokens } = await opened([documented(good)])
  assert.equal(await tokens.get(SCOPES, patient), "token-1")
})

test("an endpoint that does not answer is waited for as long as is set, and no longer once closed", async () => {
  const isTimeout = (error: unknown): boolean =>
    error instanceof SignalFailure && error.status === "timeout"
  const short = await opened([silent], 50)
  await assert.rejects(short.tokens.get(SCOPES, patient), isTimeout)
  const { tokens, closing } = await opened([silent])
  const waiting = tokens.get(SCOPES, patient)
  closing.abort()
  await assert.rejects(waiting, isTimeout)
})
