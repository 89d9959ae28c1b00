import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import type { CDPSession, Page } from "playwright-core"
import { assay } from "../cli/assay.ts"
import { type Service, startService } from "../http/service.ts"
import { joins, printedToken, signsIn, tokenIn } from "../http/signed-in.ts"
import { launchChromium } from "./shared-chromium.ts"

let service: Service
before(async () => {
  service = await startService({ args: ["--workers", "1"] })
})
after(() => service.stop())

interface Sent {
  readonly status: number
  readonly body: Record<string, unknown> & { readonly code?: string }
}

/** Sends as a page of the console does: the browser adds cookies, Origin and Sec-Fetch-Site. */
async function send(page: Page, method: string, path: string, json?: object): Promise<Sent> {
  const given = JSON.stringify({ method, path, json })
  return await page.evaluate<Sent>(`(async ({ method, path, json }) => {
    const response = await fetch(path, {
      method,
      headers: {
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...(window.csrf === undefined ? {} : { "x-csrf-token": window.csrf }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
    const body = await response.json()
    window.csrf = body.csrf_token ?? window.csrf
    return { status: response.status, body }
  })(${given})`)
}

/** Has the browser make a passkey, or answer with one, as the service asked. */
async function ask(page: Page, kind: "create" | "get", options: unknown): Promise<object> {
  const parse = kind === "create" ? "parseCreationOptionsFromJSON" : "parseRequestOptionsFromJSON"
  return await page.evaluate<object>(`(async (options) => {
    const publicKey = PublicKeyCredential.${parse}(options)
    return (await navigator.credentials.${kind}({ publicKey })).toJSON()
  })(${JSON.stringify(options)})`)
}

async function authenticators(page: Page): Promise<CDPSession> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send("WebAuthn.enable")
  return devtools
}

async function addAuthenticator(
  devtools: CDPSession,
  transport: "internal" | "usb" = "internal",
): Promise<void> {
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

const consoleUrl = (): string => `http://localhost:${service.port}/`

async function started(page: Page, path: string, json?: object): Promise<[string, unknown]> {
  const { status, body } = await send(page, "POST", path, json)
  assert.equal(status, 200, JSON.stringify(body))
  return [String(body["step"]), body["options"]]
}

test("the first administrator joins with a passkey, signs in with it, adds and removes others", async (context) => {
  const browser = await launchChromium(context)
  if (browser === null) return
  const page = await (await browser.newContext({ bypassCSP: true })).newPage()
  const devtools = await authenticators(page)
  await addAuthenticator(devtools)
  await page.goto(consoleUrl())

  const token = printedToken(service)
  const joiner = { token, name: "Ada", email: "ada@people.example" }
  const [step, options] = await started(page, "/api/v1/join/passkey/start", joiner)
  assert.equal((options as { rp: { id: string } }).rp.id, "localhost")
  const passkey = await ask(page, "create", options)
  const joined = await send(page, "POST", "/api/v1/join", { ...joiner, step, passkey })
  assert.equal(joined.status, 200, JSON.stringify(joined.body))
  const again = await send(page, "POST", "/api/v1/join", { ...joiner, step, passkey })
  assert.deepEqual([again.status, again.body.code], [410, "invitation-over"])
  const me = await send(page, "GET", "/api/v1/me")
  assert.equal(me.body["password"], false)
  const [first] = me.body["passkeys"] as { id: string; label: string }[]
  const last = await send(page, "DELETE", `/api/v1/me/passkeys/${first?.id ?? ""}`)
  assert.deepEqual([last.status, last.body.code], [409, "last-credential"])

  assert.equal((await send(page, "DELETE", "/api/v1/session")).status, 200)
  assert.equal((await send(page, "GET", "/api/v1/session")).status, 401)
  const [signing, request] = await started(page, "/api/v1/session/passkey/start")
  assert.deepEqual((request as { allowCredentials?: [] }).allowCredentials ?? [], [])
  const answer = await ask(page, "get", request)
  const signedIn = await send(page, "POST", "/api/v1/session/passkey", {
    step: signing,
    passkey: answer,
  })
  assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body))
  const session = await send(page, "GET", "/api/v1/session")
  assert.deepEqual(session.body["roles"], ["administrator"])

  // What was said once opens nothing a second time, with its own step or with another.
  const replayed = await send(page, "POST", "/api/v1/session/passkey", {
    step: signing,
    passkey: answer,
  })
  assert.deepEqual([replayed.status, replayed.body.code], [410, "step-over"])
  const [other] = await started(page, "/api/v1/session/passkey/start")
  const moved = await send(page, "POST", "/api/v1/session/passkey", {
    step: other,
    passkey: answer,
  })
  assert.deepEqual([moved.status, moved.body.code], [401, "sign-in-refused"])

  const [adding, creation] = await started(page, "/api/v1/me/passkeys/start")
  const excluded = (creation as { excludeCredentials: { id: string }[] }).excludeCredentials
  assert.deepEqual(
    excluded.map(({ id }) => id),
    [first?.id],
  )
  // The authenticator there is refuses: it has a passkey of this person already.
  await assert.rejects(ask(page, "create", creation))
  await addAuthenticator(devtools, "usb")
  const second = await ask(page, "create", creation)
  const added = await send(page, "POST", "/api/v1/me/passkeys", {
    step: adding,
    passkey: second,
    label: "key in the drawer",
  })
  assert.equal(added.status, 200, JSON.stringify(added.body))
  const both = (await send(page, "GET", "/api/v1/me")).body["passkeys"] as { label: string }[]
  assert.deepEqual(both.map(({ label }) => label).toSorted(), [
    "first passkey",
    "key in the drawer",
  ])
  assert.equal((await send(page, "DELETE", `/api/v1/me/passkeys/${first?.id ?? ""}`)).status, 200)
  const [gone] = await started(page, "/api/v1/session/passkey/start")
  const refused = await send(page, "POST", "/api/v1/session/passkey", {
    step: gone,
    passkey: answer,
  })
  assert.equal(refused.status, 401)
})

test("a passkey made for another question is refused, and a page elsewhere can use none", async (context) => {
  const browser = await launchChromium(context)
  if (browser === null) return
  const made = await assay(["people", "invite", "--role", "administrator"], {
    ASSAY_DATA: service.dataDirectory,
  })
  const owner = await joins(service, tokenIn(made.out.trim()), "bea@people.example")
  const page = await (await browser.newContext({ bypassCSP: true })).newPage()
  await addAuthenticator(await authenticators(page))
  // The same machine by another name is another origin: cookies and passkeys do not reach it.
  await page.goto(`http://127.0.0.1:${service.port}/`)
  const elsewhere = await send(page, "POST", "/api/v1/session/passkey/start")
  assert.deepEqual([elsewhere.status, elsewhere.body.code], [403, "cross-site"])

  const { body } = await owner.send<{ step: string; options: object }>(
    "POST",
    "/api/v1/me/passkeys/start",
  )
  await page.goto(consoleUrl())
  const passkey = await ask(page, "create", {
    ...body.options,
    challenge: Buffer.from("another challenge").toString("base64url"),
  })
  const refused = await owner.send("POST", "/api/v1/me/passkeys", {
    step: body.step,
    passkey,
    label: "of another challenge",
  })
  assert.deepEqual([refused.status, refused.body.code], [422, "passkey-refused"])
  await signsIn(service, "bea@people.example")
})
