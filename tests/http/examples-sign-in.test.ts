// The examples that stand in sign-ups and sign-ins, each in a stand-in of its product made from the
// vendor's documentation, against the real service.
import assert from "node:assert/strict"
import { generateKeyPairSync, sign } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { after, before, suite, test } from "node:test"
import fastify, { type preHandlerAsyncHookHandler } from "fastify"
import { parse } from "yaml"
import {
  assertNamesNobody,
  examplePath,
  importExample,
  logHas,
  nobodyThere,
  PATIENCE_MS,
  PEOPLE,
  type Program,
  startDeafService,
  startExample,
  startPages,
  STRANGERS,
  SWAPPED,
  UNREADABLE,
} from "./examples.ts"
import { type Service, startService } from "./service.ts"

interface Settings {
  readonly url: string
  readonly key: string
  readonly failClosed: boolean
  /** Undefined is the example's own. */
  readonly timeoutMs: number | undefined
}

type Outcome = "goes on" | "is asked for a factor" | "is refused"

interface Met {
  readonly outcome: Outcome
  readonly log: () => string
}

/** A product with the example in it, and what a person meets there. */
interface Host {
  readonly name: string
  meet(identity: string, settings: Settings): Promise<Met>
  /** A clean person. Who has just signed up is asked for a factor when they sign in at once. */
  readonly clean: string
  readonly stepUp: Outcome
  readonly unreadable: Outcome
  readonly closed: Outcome
}

const SECRET = "Basic aG9vazpzZWNyZXQtb2YtdGhlLWhvb2s="
const require = createRequire(import.meta.url)

let service: Service
let deaf: string
let pages: string
before(async () => {
  service = await startService({ args: ["--workers", "1"] })
  deaf = await startDeafService()
  pages = await startPages()
})
after(() => service.stop())

// Every visit comes from a network of its own: sign-ups of one network are counted together.
let visits = 0
function address(): string {
  visits++
  return `198.${18 + (visits >> 8)}.${visits & 255}.7`
}

/** Runs it with its log caught, as the product would keep it. */
async function logged<T>(run: () => Promise<T>): Promise<{ result: T; log: string }> {
  const lines: string[] = []
  const { log } = console
  console.log = (...parts: unknown[]) => void lines.push(parts.join(" "))
  try {
    return { result: await run(), log: lines.join("\n") }
  } finally {
    console.log = log
  }
}

// https://auth0.com/docs/customize/actions/reference/pre-user-registration/pre-user-registration-event-object
function auth0Event(identity: string, settings: Settings): Auth0Event {
  return {
    secrets: named(settings),
    connection: { id: "con_1", name: "Username-Password-Authentication", strategy: "auth0" },
    request: { geoip: {}, ip: address(), method: "POST", user_agent: "Example/1.0" },
    tenant: { id: "example" },
    user: identity.startsWith("+") ? { phone_number: identity } : { email: identity },
  }
}
interface Auth0Event {
  readonly secrets: Record<string, string>
  readonly connection: object
  readonly request: Record<string, unknown>
  readonly tenant: object
  readonly user: Record<string, string>
  readonly transaction?: { readonly protocol: string }
  readonly authentication?: { readonly methods: readonly { readonly name: string }[] }
}

type Calls = [string, ...unknown[]][]

/** The parts of Auth0's api objects that these triggers have; calls are recorded. */
function auth0Api(): { api: object; calls: Calls } {
  const calls: Calls = []
  const call =
    (name: string) =>
    (...args: unknown[]): void =>
      void calls.push([name, ...args])
  return {
    calls,
    api: { access: { deny: call("deny") }, multifactor: { enable: call("enable") } },
  }
}

type Auth0Action = (event: Auth0Event, api: object) => Promise<void>

async function preRegistration(event: Auth0Event): Promise<{ calls: Calls; log: string }> {
  const { onExecutePreUserRegistration: action } = require(
    examplePath("auth0", "pre-user-registration.cjs"),
  ) as { onExecutePreUserRegistration: Auth0Action }
  const { api, calls } = auth0Api()
  const { log } = await logged(() => action(event, api))
  return { calls, log }
}

async function postLogin(
  identity: string,
  settings: Settings,
  more: Partial<Auth0Event> = {},
): Promise<{ calls: Calls; log: string }> {
  const { onExecutePostLogin: action } = require(examplePath("auth0", "post-login.cjs")) as {
    onExecutePostLogin: Auth0Action
  }
  const event = auth0Event(identity, settings)
  const { api, calls } = auth0Api()
  const { log } = await logged(() =>
    action(
      {
        ...event,
        user: { ...event.user, user_id: "auth0|5f7c8ec7c33c6c004bbafe82" },
        transaction: { protocol: "oidc-basic-profile" },
        authentication: { methods: [{ name: "pwd" }] },
        ...more,
      },
      api,
    ),
  )
  return { calls, log }
}

function outcomeOf(calls: Calls): Outcome {
  assert.ok(calls.length <= 1)
  const name = calls[0]?.[0]
  return name === "deny" ? "is refused" : name === "enable" ? "is asked for a factor" : "goes on"
}

const auth0: Host[] = [
  {
    name: "auth0 pre-user-registration",
    async meet(identity, settings) {
      const { calls, log } = await preRegistration(auth0Event(identity, settings))
      return { outcome: outcomeOf(calls), log: () => log }
    },
    clean: STRANGERS.auth0,
    stepUp: "goes on",
    unreadable: "is refused",
    closed: "is refused",
  },
  {
    name: "auth0 post-login",
    async meet(identity, settings) {
      const { calls, log } = await postLogin(identity, settings)
      return { outcome: outcomeOf(calls), log: () => log }
    },
    clean: PEOPLE.allow,
    stepUp: "is asked for a factor",
    unreadable: "is asked for a factor",
    closed: "is asked for a factor",
  },
]

// https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-pre-sign-up.html
function cognitoEvent(triggerSource: string, identity: string): CognitoEvent {
  const attribute = identity.startsWith("+") ? "phone_number" : "email"
  const signsUp = triggerSource.startsWith("PreSignUp")
  return {
    version: "1",
    triggerSource,
    region: "eu-central-1",
    userPoolId: "eu-central-1_EXAMPLE",
    userName: "0b7c4b3e-4c0f-4f0e-9a50-5a5f2a3b7d11",
    callerContext: { awsSdkVersion: "aws-sdk-unknown-unknown", clientId: "1example23456789" },
    request: {
      userAttributes: { [attribute]: identity },
      validationData: null,
      ...(!signsUp && { userNotFound: false }),
    },
    response: signsUp
      ? { autoConfirmUser: false, autoVerifyEmail: false, autoVerifyPhone: false }
      : {},
  }
}
interface CognitoEvent {
  readonly triggerSource: string
  readonly request: {
    readonly userAttributes: Record<string, string>
    readonly [x: string]: unknown
  }
  readonly [member: string]: unknown
}

async function cognito(
  event: CognitoEvent,
  settings: Settings,
): Promise<Met & { readonly thrown: string | null }> {
  const { handler } = (await importExample("cognito", "index.mjs")) as {
    handler: (event: CognitoEvent) => Promise<CognitoEvent>
  }
  const before = process.env
  process.env = { ...before, ...named(settings) }
  const given = structuredClone(event)
  try {
    const { result, log } = await logged(async () => {
      try {
        // Cognito wants the event back; these triggers change nothing in it.
        assert.deepEqual(await handler(event), given)
        return null
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        return (error as Error).message
      }
    })
    return {
      outcome: result === null ? "goes on" : "is refused",
      log: () => log,
      thrown: result,
    }
  } finally {
    process.env = before
  }
}

const cognitoTriggers: Host[] = [
  {
    name: "cognito pre sign-up",
    meet: (identity, settings) => cognito(cognitoEvent("PreSignUp_SignUp", identity), settings),
    clean: STRANGERS.cognito,
    stepUp: "goes on",
    unreadable: "is refused",
    closed: "is refused",
  },
  {
    name: "cognito pre authentication",
    meet: (identity, settings) =>
      cognito(cognitoEvent("PreAuthentication_Authentication", identity), settings),
    clean: PEOPLE.allow,
    stepUp: "goes on",
    unreadable: "goes on",
    closed: "is refused",
  },
]

/** Starts a hook's program once for each settings, and keeps it running. */
function hookProgram(
  folder: string,
  more: () => Record<string, string> = () => ({ HOOK_SECRET: SECRET }),
): (settings: Settings) => Promise<Program> {
  const running = new Map<string, Promise<Program>>()
  return (settings) => {
    const env = { ...named(settings), ...more() }
    const name = JSON.stringify(env)
    const program = running.get(name) ?? startExample([folder, "hook.mjs"], env)
    running.set(name, program)
    return program
  }
}

function outputSince({ output }: Program): () => string {
  const { length } = output()
  return () => output().slice(length)
}

// https://developer.okta.com/docs/reference/registration-hook/
function oktaRequest(email: string): object {
  return {
    eventId: "GOsk4z6tSSeZo6X08MvKaw",
    eventTime: "2026-11-18T09:30:00.000Z",
    eventType: "com.okta.user.pre-registration",
    eventTypeVersion: "1.0",
    contentType: "application/json",
    cloudEventVersion: "0.1",
    source: "reghawlks3zOkRrau0h7",
    requestType: "self.service.registration",
    data: {
      context: {
        request: {
          id: "XWVxW2zcaH5-Ii74OsI6CgAACJw",
          method: "POST",
          url: { value: "/api/v1/registration/reghawlks3zOkRrau0h7/register" },
          ipAddress: address(),
        },
      },
      userProfile: { lastName: "Doe", firstName: "Jo", login: email, email },
      action: "ALLOW",
    },
  }
}

async function post(
  url: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: SECRET, ...headers },
    body,
  })
}

interface OktaAnswer {
  readonly commands: readonly { readonly type: string; readonly value: { registration: string } }[]
  readonly error?: { readonly errorSummary: string; readonly errorCauses: readonly object[] }
}

const oktaProgram = hookProgram("okta")
const okta: Host = {
  name: "okta registration hook",
  async meet(identity, settings) {
    const program = await oktaProgram(settings)
    const log = outputSince(program)
    const response = await post(program.url, JSON.stringify(oktaRequest(identity)))
    assert.equal(response.status, 200)
    const { commands, error } = (await response.json()) as OktaAnswer
    assert.deepEqual(
      commands.map(({ type }) => type),
      ["com.okta.action.update"],
    )
    const to = commands[0]?.value.registration
    assert.ok(to === "ALLOW" || to === "DENY")
    assert.equal(error !== undefined, to === "DENY")
    return { outcome: to === "ALLOW" ? "goes on" : "is refused", log }
  },
  clean: STRANGERS.okta,
  stepUp: "goes on",
  unreadable: "is refused",
  closed: "is refused",
}

// Tokens as Entra's, by a key of the test's own.
const AUDIENCE = "5a0f8a3e-0f0c-4a57-9d6e-2f4c6b8d0e12"
const ISSUER = "https://contoso.ciamlogin.com/aaaabbbb-0000-cccc-1111-dddd2222eeee/v2.0"
const ENTRA_ID = "99045fe1-7639-4a75-9d4a-577b6ca3810f"
const entraKeys = generateKeyPairSync("rsa", { modulusLength: 2048 })

function entraToken(change: Record<string, unknown> = {}, by = entraKeys.privateKey): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: ISSUER, aud: AUDIENCE, azp: ENTRA_ID, nbf: now - 5, exp: now + 3600 }
  const parts = [
    { alg: "RS256", typ: "JWT", kid: "of-this-test" },
    { ...claims, ...change },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  const signature = sign("RSA-SHA256", Buffer.from(parts.join(".")), by)
  return `Bearer ${[...parts, signature.toString("base64url")].join(".")}`
}

// https://learn.microsoft.com/entra/identity-platform/custom-extension-onattributecollectionsubmit-retrieve-return-data
function entraRequest(email: string): object {
  return {
    type: "microsoft.graph.authenticationEvent.attributeCollectionSubmit",
    source: "/tenants/aaaabbbb-0000-cccc-1111-dddd2222eeee/applications/1",
    data: {
      "@odata.type": "microsoft.graph.onAttributeCollectionSubmitCalloutData",
      tenantId: "aaaabbbb-0000-cccc-1111-dddd2222eeee",
      authenticationContext: {
        client: { ip: address(), locale: "en-us", market: "en-us" },
        protocol: "OAUTH2.0",
      },
      userSignUpInfo: {
        attributes: {
          givenName: {
            "@odata.type": "microsoft.graph.stringDirectoryAttributeValue",
            value: "Jo",
            attributeType: "builtIn",
          },
        },
        identities: [
          { signInType: "email", issuer: "contoso.onmicrosoft.com", issuerAssignedId: email },
        ],
      },
    },
  }
}

let entraKeysUrl: string
before(async () => {
  const jwk = entraKeys.publicKey.export({ format: "jwk" })
  const keys = JSON.stringify({ keys: [{ ...jwk, kid: "of-this-test", use: "sig" }] })
  entraKeysUrl = await startPages(keys)
})

const entraProgram = hookProgram("entra", () => ({
  ENTRA_ISSUER: ISSUER,
  ENTRA_AUDIENCE: AUDIENCE,
  ENTRA_KEYS_URL: entraKeysUrl,
}))
const entra: Host = {
  name: "entra OnAttributeCollectionSubmit",
  async meet(identity, settings) {
    const program = await entraProgram(settings)
    const log = outputSince(program)
    const body = JSON.stringify(entraRequest(identity))
    const response = await post(program.url, body, { authorization: entraToken() })
    assert.equal(response.status, 200)
    const { data } = (await response.json()) as {
      data: { "@odata.type": string; actions: Record<string, string>[] }
    }
    assert.equal(data["@odata.type"], "microsoft.graph.onAttributeCollectionSubmitResponseData")
    assert.equal(data.actions.length, 1)
    const { "@odata.type": type, ...members } = data.actions[0] ?? {}
    const [, name] = /^microsoft\.graph\.attributeCollectionSubmit\.(\w+)$/.exec(type ?? "") ?? []
    if (name === "continueWithDefaultBehavior") return { outcome: "goes on", log }
    assert.equal(name, "showBlockPage")
    assert.deepEqual(Object.keys(members), ["title", "message"])
    return { outcome: "is refused", log }
  },
  clean: STRANGERS.entra,
  stepUp: "goes on",
  unreadable: "is refused",
  closed: "is refused",
}

const kratosProgram = hookProgram("kratos")
/** What body.jsonnet makes of a flow; see the test that holds it to these members. */
function kratosBody(event: "sign-up" | "login", identity: string): object {
  const account_id = "3a5293f1-f4d6-49f4-b34f-6da62c360604"
  return { event, identity, account_id, user_agent: "Example/1.0", ip: address() }
}
function kratosHost(event: "sign-up" | "login"): Host {
  return {
    name: `kratos web_hook at ${event}`,
    async meet(identity, settings) {
      const program = await kratosProgram(settings)
      const log = outputSince(program)
      const response = await post(program.url, JSON.stringify(kratosBody(event, identity)))
      const text = await response.text()
      if (response.status === 204) return { outcome: "goes on", log }
      assert.equal(response.status, 403)
      // https://www.ory.com/docs/guides/integrate-with-ory-cloud-through-webhooks
      const { messages } = JSON.parse(text) as {
        messages: { instance_ptr: string; messages: { id: number; text: string; type: string }[] }[]
      }
      assert.deepEqual(
        messages.map(({ instance_ptr, messages: shown }) => [instance_ptr, shown.length]),
        [["#/", 1]],
      )
      assert.equal(messages[0]?.messages[0]?.type, "error")
      return { outcome: "is refused", log }
    },
    clean: event === "sign-up" ? STRANGERS.kratos : PEOPLE.allow,
    stepUp: "goes on",
    unreadable: event === "sign-up" ? "is refused" : "goes on",
    closed: "is refused",
  }
}

interface StepUpOptions extends Settings {
  readonly event: string
  readonly acrValues?: string
  readonly identityOf: () => string | undefined
  readonly hasSteppedUp: () => boolean
}

/** Who is signed in, as a session would say. */
interface Visitor {
  readonly person?: string
  readonly steppedUp?: boolean
  readonly ip?: string
}

function stepUpOptions(settings: Settings, { person, steppedUp = false }: Visitor): StepUpOptions {
  return {
    ...settings,
    event: "transaction",
    acrValues: "urn:example:mfa",
    identityOf: () => person,
    hasSteppedUp: () => steppedUp,
  }
}

async function visit(url: string): Promise<Outcome> {
  const response = await fetch(url)
  const body = (await response.json()) as object
  if (response.status === 200) {
    assert.deepEqual(body, { paid: true })
    return "goes on"
  }
  if (response.status === 403) {
    assert.deepEqual(body, { error: "refused" })
    return "is refused"
  }
  assert.equal(response.status, 401)
  // RFC 9470, section 3.
  assert.equal(
    response.headers.get("www-authenticate"),
    'Bearer error="insufficient_user_authentication", acr_values="urn:example:mfa"',
  )
  assert.deepEqual(body, { error: "insufficient_user_authentication" })
  return "is asked for a factor"
}

type ExpressMiddleware = (
  req: IncomingMessage & { ip?: string },
  res: object,
  next: (error?: unknown) => void,
) => Promise<void>

/**
 * A server with as much of Express as its middleware is promised: req.ip, res.set, status, json.
 */
async function onExpress(settings: Settings, visitor: Visitor): Promise<Outcome> {
  const { stepUp } = (await importExample("express", "step-up.mjs")) as {
    stepUp: (options: StepUpOptions) => ExpressMiddleware
  }
  const middleware = stepUp(stepUpOptions(settings, visitor))
  const server = createServer((request, response) => {
    const res = Object.assign(response, {
      set: (name: string, value: string) => response.setHeader(name, value),
      status: (code: number) => Object.assign(res, { statusCode: code }),
      json: (body: object) =>
        response.setHeader("content-type", "application/json").end(JSON.stringify(body)),
    })
    void middleware(Object.assign(request, { ip: visitor.ip ?? address() }), res, (error) => {
      if (error === undefined) res.json({ paid: true })
      else response.writeHead(500).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    return await visit(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function onFastify(settings: Settings, visitor: Visitor): Promise<Outcome> {
  const { stepUp } = (await importExample("fastify", "step-up.mjs")) as {
    stepUp: (options: object) => preHandlerAsyncHookHandler
  }
  const app = fastify()
  app.get("/", { preHandler: stepUp(stepUpOptions(settings, visitor)) }, async () => ({
    paid: true,
  }))
  try {
    return await visit(await app.listen({ port: 0, host: "127.0.0.1" }))
  } finally {
    await app.close()
  }
}

const middlewares: Host[] = [
  { name: "express", on: onExpress },
  { name: "fastify", on: onFastify },
].map(({ name, on }) => ({
  name,
  async meet(identity, settings) {
    const { result, log } = await logged(() => on(settings, { person: identity }))
    return { outcome: result, log: () => log }
  },
  clean: PEOPLE.allow,
  stepUp: "is asked for a factor",
  unreadable: "is asked for a factor",
  closed: "is asked for a factor",
}))

const hosts: readonly Host[] = [
  ...auth0,
  ...cognitoTriggers,
  okta,
  entra,
  kratosHost("sign-up"),
  kratosHost("login"),
  ...middlewares,
]

const open = (): Settings => ({
  url: service.baseUrl,
  key: service.key ?? "",
  failClosed: false,
  timeoutMs: PATIENCE_MS,
})

/** Settings as examples read them from secrets or the environment. */
function named({ url, key, failClosed, timeoutMs }: Settings): Record<string, string> {
  return {
    ASSAY_URL: url,
    ASSAY_KEY: key,
    ...(failClosed && { ASSAY_FAIL_CLOSED: "true" }),
    ...(timeoutMs !== undefined && { ASSAY_TIMEOUT_MS: String(timeoutMs) }),
  }
}

for (const host of hosts)
  suite(host.name, () => {
    test("does with people of the demo as is recommended about them", async () => {
      const clean = await host.meet(host.clean, open())
      assert.equal(clean.outcome, "goes on")
      const risky = await host.meet(PEOPLE.step_up_auth, open())
      assert.equal(risky.outcome, host.stepUp)
      // A little riskier by now: she signs in just after she has signed up, in the tests before.
      await logHas(risky.log, /^Assay recommends (step_up_auth|review), dec_\w+$/m)
      assert.doesNotMatch(clean.log().replace(risky.log(), ""), /Assay/)
      const blocked = await host.meet(PEOPLE.block, open())
      assert.equal(blocked.outcome, "is refused")
      await logHas(blocked.log, /^Assay recommends block, dec_\w+$/m)
      const all = clean.log() + risky.log() + blocked.log()
      assert.doesNotMatch(all, /no answer/)
      assertNamesNobody(all, service.key ?? "")
    })

    test("takes what is no address for an answer", async () => {
      for (const [typed, status] of [
        [UNREADABLE, 422],
        [`${"endless".repeat(3000)}@mail.example`, 413],
      ] as const) {
        const { outcome, log } = await host.meet(typed, open())
        assert.equal(outcome, host.unreadable)
        await logHas(log, new RegExp(`^Assay cannot read it: status ${status}$`, "m"))
        assertNamesNobody(log())
        assert.ok(!log().includes("endless"))
      }
    })

    const failures: [string, () => Promise<Partial<Settings>>, RegExp][] = [
      ["is away", async () => ({ url: await nobodyThere() }), /no answer: TypeError$/m],
      ["is silent", async () => ({ url: deaf, timeoutMs: undefined }), /no answer: TimeoutError$/m],
      ["is hidden by a page", async () => ({ url: pages }), /no answer: SyntaxError$/m],
      ["refuses the key", async () => ({ key: "ask_demo_wrong" }), /no answer: status 401$/m],
    ]
    for (const [what, settings, line] of failures)
      test(`opens, with a line in the log, where Assay ${what}`, async () => {
        const change = await settings()
        const opened = await host.meet(PEOPLE.block, { ...open(), ...change })
        assert.equal(opened.outcome, "goes on")
        await logHas(opened.log, line)
        const asked = { ...open(), ...change, failClosed: true }
        const closed = await host.meet(host.clean, asked)
        assert.equal(closed.outcome, host.closed)
        await logHas(closed.log, line)
        assertNamesNobody(opened.log() + closed.log(), service.key ?? "")
      })
  })

test("auth0: registrations are denied with a reason for the log and a text for the person", async () => {
  const { calls } = await preRegistration(auth0Event(PEOPLE.block, open()))
  const text = "This account cannot be created. Please contact support."
  assert.deepEqual(calls, [["deny", "assay_block", text]])
  // Who has neither address nor number, or an empty one, is not asked about.
  const event = auth0Event(PEOPLE.block, { ...open(), failClosed: true })
  assert.deepEqual((await preRegistration({ ...event, user: {} })).calls, [])
})

test("auth0: a number is asked about where there is no address", async () => {
  const { calls, log } = await postLogin(SWAPPED, open())
  assert.deepEqual(calls, [["enable", "any", { allowRememberBrowser: false }]])
  assert.match(log, /recommends step_up_auth/)
  assertNamesNobody(log)
})

test("auth0: who has proven a factor is not asked again, and is refused all the same", async () => {
  const authentication = { methods: [{ name: "pwd" }, { name: "mfa" }] }
  assert.deepEqual((await postLogin(PEOPLE.step_up_auth, open(), { authentication })).calls, [])
  const [call] = (await postLogin(PEOPLE.block, open(), { authentication })).calls
  assert.equal(call?.[0], "deny")
})

test("auth0: nobody is asked for a factor when a refresh token is exchanged", async () => {
  const transaction = { protocol: "oauth2-refresh-token" }
  const { calls, log } = await postLogin(PEOPLE.block, open(), { transaction })
  assert.deepEqual([calls, log], [[], ""])
})

test("auth0: an endless or empty User-Agent does not make a request that Assay refuses", async () => {
  for (const user_agent of ["x".repeat(20_000), ""]) {
    const event = auth0Event(PEOPLE.block, open())
    const request = { ...event.request, user_agent }
    const { calls, log } = await preRegistration({ ...event, request })
    assert.equal(calls.length, 1)
    assert.doesNotMatch(log, /no answer/)
  }
})

test("cognito: accounts made by administrators and people it does not know are let be", async () => {
  for (const event of [
    cognitoEvent("PreSignUp_AdminCreateUser", PEOPLE.block),
    {
      ...cognitoEvent("PreAuthentication_Authentication", PEOPLE.block),
      request: { userAttributes: {}, userNotFound: true },
    },
  ]) {
    const { outcome, log } = await cognito(event, { ...open(), failClosed: true })
    assert.deepEqual([outcome, log()], ["goes on", ""])
  }
  const external = await cognito(cognitoEvent("PreSignUp_ExternalProvider", PEOPLE.block), open())
  assert.equal(external.thrown, "This was refused. Please contact support.")
})

test("express and kratos: what is no address of a network does not bring a refusal about", async () => {
  const forged = "unknown, 203.0.113.7"
  const { result, log } = await logged(() =>
    onExpress(open(), { person: PEOPLE.block, ip: forged }),
  )
  assert.equal(result, "is refused")
  assert.match(log, /recommends block/)
  const { url } = await kratosProgram(open())
  const body = JSON.stringify({ ...kratosBody("sign-up", PEOPLE.block), ip: forged })
  assert.equal((await post(url, body)).status, 403)
  const clean = { ...kratosBody("login", PEOPLE.allow), ip: forged, user_agent: "" }
  assert.equal((await post(url, JSON.stringify(clean))).status, 204)
})

for (const [name, program, body] of [
  ["okta", oktaProgram, () => oktaRequest(PEOPLE.block)],
  ["kratos", kratosProgram, () => kratosBody("sign-up", PEOPLE.block)],
] as const)
  test(`${name}: the hook answers nobody without its secret, and no broken body`, async () => {
    const { url, output } = await program(open())
    const lines = output()
    const text = JSON.stringify(body())
    for (const authorization of ["", "Basic wrong", `${SECRET} `.repeat(2)])
      assert.equal((await post(url, text, { authorization })).status, 401)
    assert.equal((await fetch(url, { headers: { authorization: SECRET } })).status, 401)
    for (const broken of ["", "null", "{", `"${"x".repeat(300 * 1024)}"`])
      assert.equal((await post(url, broken)).status, 400)
    // Nothing of it was asked of Assay, or logged.
    assert.equal(output(), lines)
  })

test("okta: a denial names the field and what the person reads", async () => {
  const { url } = await oktaProgram(open())
  const response = await post(url, JSON.stringify(oktaRequest(PEOPLE.block)))
  const errorSummary = "This account cannot be created. Please contact support."
  assert.deepEqual(await response.json(), {
    commands: [{ type: "com.okta.action.update", value: { registration: "DENY" } }],
    error: {
      errorSummary,
      errorCauses: [
        {
          errorSummary,
          reason: "REFUSED",
          locationType: "body",
          location: "data.userProfile.email",
          domain: "end-user",
        },
      ],
    },
  })
})

test("entra: only a token of Entra's own, for this service and of this hour, is answered", async () => {
  const { url, output } = await entraProgram(open())
  const lines = output()
  const body = JSON.stringify(entraRequest(PEOPLE.block))
  const now = Math.floor(Date.now() / 1000)
  const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey
  const none = Buffer.from('{"alg":"none","kid":"of-this-test"}').toString("base64url")
  for (const authorization of [
    "",
    "Bearer x",
    entraToken({ iss: "https://evil.example/v2.0" }),
    entraToken({ aud: "another" }),
    entraToken({ azp: "another" }),
    entraToken({ exp: now - 1 }),
    entraToken({ exp: undefined }),
    entraToken({ nbf: now + 600 }),
    entraToken({}, other),
    entraToken().replace(/ [^.]+/, ` ${none}`),
    entraToken().replace(/\.[^.]+$/, "."),
  ])
    assert.equal((await post(url, body, { authorization })).status, 401, authorization)
  for (const broken of ["", "null", "{"])
    assert.equal((await post(url, broken, { authorization: entraToken() })).status, 400)
  assert.equal(output(), lines)
  // Tokens of version 1 name the caller by another claim.
  const authorization = entraToken({ azp: undefined, appid: ENTRA_ID })
  assert.equal((await post(url, body, { authorization })).status, 200)
})

test("kratos: the configuration parses answers, and the body has the members the hook takes", () => {
  interface Hook {
    readonly hook: string
    readonly config?: Record<string, unknown>
  }
  const read = (name: string): string => readFileSync(examplePath("kratos", name), "utf8")
  const { selfservice } = parse(read("kratos.yml")) as {
    selfservice: { flows: Record<string, { after: { password: { hooks: Hook[] } } }> }
  }
  for (const flow of ["registration", "login"]) {
    const [first] = selfservice.flows[flow]?.after.password.hooks ?? []
    assert.equal(first?.hook, "web_hook")
    assert.deepEqual(first.config?.["response"], { ignore: false, parse: true })
    assert.equal(first.config["body"], "file:///etc/config/kratos/body.jsonnet")
  }
  const members = [...read("body.jsonnet").matchAll(/^ {4}(\w+):/gm)].map(([, name]) => name)
  assert.deepEqual(members.toSorted(), Object.keys(kratosBody("login", "")).toSorted())
})

for (const [name, on] of [
  ["express", onExpress],
  ["fastify", onFastify],
] as const)
  test(`${name}: who has stepped up goes on, who is to be blocked does not, who is nobody does`, async () => {
    const { result } = await logged(async () => {
      return [
        await on(open(), { person: PEOPLE.step_up_auth, steppedUp: true }),
        await on(open(), { person: PEOPLE.block, steppedUp: true }),
        await on({ ...open(), failClosed: true }, {}),
      ]
    })
    assert.deepEqual(result, ["goes on", "is refused", "goes on"])
  })

test("every JavaScript example asks by the same function, word for word", () => {
  const files = globSync(examplePath("*", "*.{cjs,mjs}"))
  const functions = files.flatMap((file) => {
    const [, asking] = readFileSync(file, "utf8").split("/** What Assay recommends;")
    return asking === undefined ? [] : [asking]
  })
  assert.equal(functions.length, 8)
  assert.equal(new Set(functions).size, 1)
})
