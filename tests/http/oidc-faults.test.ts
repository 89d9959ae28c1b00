// A provider that answers wrongly, or not at all. Tokens are signed by the tests themselves, so
// that exactly one thing about each is wrong.
import assert from "node:assert/strict"
import type { ServerResponse } from "node:http"
import { after, before, test } from "node:test"
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose"
import { oidcBrowser, originOf, problemIn, START } from "./oidc-browser.ts"
import { type Service, startService } from "./service.ts"
import {
  CALLBACK,
  CLIENT_ID,
  type Handler,
  openPlace,
  type Place,
  settingsOf,
} from "./sign-in-provider.ts"

let place: Place
let service: Service
before(async () => {
  place = await openPlace()
  service = await startService({
    args: ["--workers", "1"],
    env: { ...settingsOf(place), OIDC_ROLES_CLAIM: "realm.groups", OIDC_ROLES: "a=viewer@demo" },
  })
})
after(async () => {
  await service.stop()
  await place.close()
})

const json = (response: ServerResponse, body: unknown, status = 200): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

const described = (changes: object = {}): object => ({
  issuer: place.issuer,
  authorization_endpoint: `${place.issuer}/authorize`,
  token_endpoint: `${place.issuer}/token`,
  jwks_uri: `${place.issuer}/keys`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
  ...changes,
})

test("a provider that cannot be understood is a clear 503, and none of it is passed on", async () => {
  const rubbish: Record<string, Handler> = {
    "hangs up": (_, response) => void response.destroy(),
    "no JSON": (_, response) => void response.end("<html>canary-rubbish-3021"),
    "JSON of no use": (_, response) => json(response, ["canary-rubbish-3021"]),
    "a fault of its own": (_, response) => json(response, { error: "canary-rubbish-3021" }, 500),
    "sends elsewhere": (_, response) =>
      void response.writeHead(302, { location: "https://canary-rubbish-3021.example/" }).end(),
    "another issuer": (_, response) =>
      json(response, described({ issuer: "https://canary-rubbish-3021.example" })),
    "an issuer of everybody": (_, response) =>
      json(response, described({ issuer: "https://login.microsoftonline.com/{tenantid}/v2.0" })),
    "no end": (_, response) => {
      response.writeHead(200, { "content-type": "application/json" })
      const write = (): void => {
        while (!response.destroyed && response.write(`"${"x".repeat(65_536)}",`));
        if (!response.destroyed) response.once("drain", write)
      }
      write()
    },
    // Longer than the service waits; whoever asks is answered all the same.
    silence: () => undefined,
  }
  for (const [name, handler] of Object.entries(rubbish)) {
    place.handler = handler
    const response = await fetch(originOf(service) + START, { redirect: "manual" })
    const text = await response.clone().text()
    const { status, code } = await problemIn(response)
    assert.deepEqual([status, code], [503, "sign-in-provider-unavailable"], name)
    assert.equal(response.headers.get("retry-after"), "10")
    assert.deepEqual(response.headers.getSetCookie(), [])
    assert.ok(!text.includes("canary-rubbish"))
  }
  assert.doesNotMatch(service.stderr(), /canary-rubbish/)
  assert.match(service.stderr(), /"code":"DISCOVERY/)
})

test("what the provider says of itself is asked for once", async () => {
  const asked: string[] = []
  place.handler = (request, response) => {
    asked.push(request.url ?? "")
    json(response, described({ authorization_endpoint: "https://sso.example/authorize" }))
  }
  for (let n = 0; n < 3; n++) {
    const started = await fetch(originOf(service) + START, { redirect: "manual" })
    assert.equal(started.status, 302)
    assert.match(started.headers.get("location") ?? "", /^https:\/\/sso\.example\/authorize\?/)
  }
  assert.deepEqual(asked, ["/.well-known/openid-configuration"])
})

test("of all that a token says, all must hold", async () => {
  const own = await generateKeyPair("RS256", { extractable: true })
  const foreign = await generateKeyPair("RS256", { extractable: true })
  const key = { ...(await exportJWK(own.publicKey)), kid: "k1", alg: "RS256", use: "sig" }
  const now = Math.floor(Date.now() / 1000)
  const nothing = Buffer.from('{"alg":"none"}').toString("base64url")

  /** What one browser gets whose code the provider turns into this token. */
  async function outcomeOf(
    changes: JWTPayload,
    made: { by?: CryptoKey; unsigned?: boolean; answer?: object } = {},
  ): Promise<[number, string | undefined]> {
    const browser = oidcBrowser(service)
    const asked = new URL(await browser.start()).searchParams
    const claims = {
      iss: place.issuer,
      aud: CLIENT_ID,
      sub: "somebody",
      nonce: asked.get("nonce"),
      iat: now,
      exp: now + 300,
      realm: { groups: "a" },
      ...changes,
    }
    const signed = await new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", kid: "k1" })
      .sign(made.by ?? own.privateKey)
    const [, body = ""] = signed.split(".")
    const id_token = made.unsigned === true ? `${nothing}.${body}.` : signed
    place.handler = (request, response) => {
      if (request.url === "/keys") json(response, { keys: [key] })
      else json(response, { access_token: "x", token_type: "Bearer", id_token, ...made.answer })
    }
    const url = `${originOf(service)}${CALLBACK}?code=x&state=${asked.get("state") ?? ""}`
    const { status, code } = await browser.complete(await browser.comeBack(url))
    assert.equal(browser.visitor.cookies.has("__Host-assay-session"), status === 303)
    return [status, code]
  }

  assert.deepEqual(await outcomeOf({}), [303, undefined])
  const refused = [401, "sign-in-refused"]
  assert.deepEqual(await outcomeOf({ iss: "https://other.example" }), refused)
  assert.deepEqual(await outcomeOf({ aud: "another client" }), refused)
  assert.deepEqual(await outcomeOf({ nonce: "z".repeat(43) }), refused)
  assert.deepEqual(await outcomeOf({ exp: now - 60 }), refused)
  assert.deepEqual(await outcomeOf({}, { by: foreign.privateKey }), refused)
  assert.deepEqual(await outcomeOf({ realm: { groups: ["b"] } }), [403, "no-role"])
  for (const [status] of [
    await outcomeOf({}, { unsigned: true }),
    await outcomeOf({}, { answer: { id_token: "rubbish" } }),
    await outcomeOf({}, { answer: { id_token: undefined } }),
  ])
    assert.ok([401, 503].includes(status))
})

test("where no provider is set there is nothing to begin", async () => {
  await using plain = await startService({ args: ["--workers", "1"] })
  for (const path of [START, CALLBACK]) {
    const { status, code } = await problemIn(await fetch(plain.baseUrl + path))
    assert.deepEqual([status, code], [404, "not-found"])
  }
})
