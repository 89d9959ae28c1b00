import assert from "node:assert/strict"
import { after, test } from "node:test"
import { openTrialCarrier } from "./open-trial-carrier.ts"
import { askToken, assertionFor, callApi, tokenFor } from "../testing/test-trial-session.ts"
import { makeTrialClient } from "./trial-client.ts"

const bank = await makeTrialClient("bank")
const shop = await makeTrialClient("shop", ["sim-swap:check"])
const clock = { aheadMs: 0 }
const carrier = await openTrialCarrier({
  clients: [bank.client, shop.client],
  now: () => Date.now() + clock.aheadMs,
})
after(() => carrier.close())

const NUMBER = "+61491570006"
const CHECK = "/sim-swap/v2/check"
const check = async (token: string | null): ReturnType<typeof callApi> =>
  await callApi(carrier, "POST", CHECK, token, { phoneNumber: NUMBER })

test("a client that signs with its own key gets a token for the scopes it asked for", async () => {
  const assertion = await assertionFor(carrier, bank)
  const scope = "dpv:FraudPreventionAndDetection sim-swap:check"
  const { status, headers, body } = await askToken(carrier, assertion, { scope })
  assert.equal(status, 200)
  assert.equal(headers.get("cache-control"), "no-store")
  const { access_token: token, ...rest } = body as { access_token: string }
  assert.deepEqual(rest, { token_type: "Bearer", expires_in: 300, scope })
  assert.equal((await check(token)).status, 200)
})

test("an assertion is refused that is used twice, too old, too long, for others or of another key", async () => {
  const scope = "sim-swap:check"
  const seconds = Math.floor(Date.now() / 1000)
  const once = await assertionFor(carrier, bank)
  assert.equal((await askToken(carrier, once, { scope })).status, 200)
  const refused = [
    once,
    await assertionFor(carrier, bank, { claims: { exp: seconds - 60 } }),
    await assertionFor(carrier, bank, { claims: { exp: seconds + 3600 } }),
    await assertionFor(carrier, bank, { claims: { iat: seconds + 3000, exp: seconds + 3200 } }),
    await assertionFor(carrier, bank, { claims: { exp: undefined } }),
    await assertionFor(carrier, bank, { claims: { jti: undefined } }),
    await assertionFor(carrier, bank, { claims: { aud: "https://elsewhere.example/token" } }),
    await assertionFor(carrier, bank, { claims: { sub: "shop" } }),
    await assertionFor(carrier, bank, { claims: { iss: "nobody", sub: "nobody" } }),
    await assertionFor(carrier, bank, { privateKeyPem: shop.privateKeyPem }),
    await assertionFor(carrier, shop, { claims: { iss: "bank", sub: "bank" } }),
    "not.a.token",
    "",
  ]
  for (const assertion of refused) {
    const { status, body } = await askToken(carrier, assertion, { scope })
    assert.equal(status, 401)
    assert.equal((body as { error: string }).error, "invalid_client")
  }
  const named = await askToken(carrier, await assertionFor(carrier, bank), {
    scope,
    client_id: "shop",
  })
  assert.equal(named.status, 401)
})

test("a client gets no scope that it may not have, that nobody has, or with two purposes", async () => {
  const scopes = [
    "sim-swap:check sim-swap:retrieve-date",
    "sim-swap:everything",
    "dpv:FraudPreventionAndDetection",
    "dpv:FraudPreventionAndDetection dpv:Marketing sim-swap:check",
    "",
  ]
  for (const scope of scopes) {
    const { status, body } = await askToken(carrier, await assertionFor(carrier, shop), { scope })
    assert.equal(status, 400)
    assert.equal((body as { error: string }).error, "invalid_scope")
  }
})

test("only the grant of clients is taken, as a form and with an assertion", async () => {
  const scope = "sim-swap:check"
  const assertion = await assertionFor(carrier, bank)
  const other = await askToken(carrier, assertion, { scope, grant_type: "password" })
  assert.deepEqual(
    [other.status, (other.body as { error: string }).error],
    [400, "unsupported_grant_type"],
  )
  const secret = await askToken(carrier, assertion, { scope, client_assertion_type: "none" })
  assert.equal(secret.status, 401)
  assert.equal((await callApi(carrier, "POST", "/token", null, {})).status, 400)
  assert.equal((await callApi(carrier, "GET", "/token", null)).status, 400)
})

test("an API takes a token of the right scope, while it lasts, and nothing else", async () => {
  assert.equal((await check(null)).status, 401)
  assert.equal((await check("made-up")).status, 401)
  const basic = await callApi(carrier, "POST", CHECK, null, {}, { authorization: "Basic eA==" })
  assert.deepEqual([basic.status, (basic.body as { code: string }).code], [401, "UNAUTHENTICATED"])
  const other = await check(await tokenFor(carrier, bank, "sim-swap:retrieve-date"))
  assert.deepEqual(
    [other.status, (other.body as { code: string }).code],
    [403, "PERMISSION_DENIED"],
  )
  assert.equal((await check(await tokenFor(carrier, bank, "sim-swap"))).status, 200)

  const token = await tokenFor(carrier, bank, "sim-swap:check")
  clock.aheadMs = 299_000
  assert.equal((await check(token)).status, 200)
  clock.aheadMs = 301_000
  assert.equal((await check(token)).status, 401)
  clock.aheadMs = 0
})

test("the token endpoint fails by script, and only those who would have got a token", async () => {
  const scope = "sim-swap:check"
  carrier.scriptToken({
    lifetime_seconds: 7,
    faults: [{ kind: "error", status: 400, code: "access_denied", times: 1 }],
  })
  assert.equal((await askToken(carrier, "", { scope })).status, 401)
  const denied = await askToken(carrier, await assertionFor(carrier, bank), { scope })
  assert.deepEqual(
    [denied.status, (denied.body as { error: string }).error],
    [400, "access_denied"],
  )
  const { body } = await askToken(carrier, await assertionFor(carrier, bank), { scope })
  assert.equal((body as { expires_in: number }).expires_in, 7)
  carrier.scriptToken({})
})
