import assert from "node:assert/strict"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { openTransactions } from "../../packages/server/src/people/oidc/transaction.ts"
import { openSecrets } from "../../packages/runtime/src/secrets.ts"
import { assay, invite } from "../cli/assay.ts"
import { oidcBrowser, originOf, problemIn, START } from "./oidc-browser.ts"
import { openRecordsOf } from "./records-of.ts"
import { filesWith, needlesOf } from "./search.ts"
import { type Service, startService } from "./service.ts"
import { joins, PASSWORD, printedToken, signsIn, type Visitor } from "./signed-in.ts"
import {
  CALLBACK,
  CLIENT_SECRET,
  type Desk,
  openPlace,
  type Place,
  putProvider,
  settingsOf,
} from "./sign-in-provider.ts"
import { temporaryDirectory } from "./temporary.ts"

const data = join(temporaryDirectory(), "data")
const ADMIN = "ada.admin@sso.example"
const COOKIE = "__Host-assay-oidc"

let place: Place
let service: Service
let desk: Desk
let admin: Visitor
before(async () => {
  place = await openPlace()
  service = await startService({
    dataDirectory: data,
    args: ["--workers", "2"],
    env: {
      ...settingsOf(place),
      OIDC_ROLES:
        "admins=administrator,tips=drop-recipient,chiefs=owner@demo,fraud team=analyst@demo,lookers=viewer@demo,ghosts=viewer@no such tenant",
    },
  })
  // Its claims are told on asking alone; oidc-faults.test.ts has those of tokens.
  desk = await putProvider(place, originOf(service), { claimsInToken: false })
  admin = await joins(service, printedToken(service), ADMIN)
  const link = await invite(service, "--tenant", "demo", "--role", "owner")
  await joins(service, link.split("#")[1] ?? "", "olga.owner@sso.example")
})
after(async () => {
  await service.stop()
  await place.close()
})

interface Session {
  person_id: string
  name: string
  tenant: string | null
  roles: string[]
}
const sessionOf = (visitor: Visitor) => visitor.send<Session>("GET", "/api/v1/session")

async function peopleCount(): Promise<number> {
  const records = await openRecordsOf(data)
  try {
    return (await records.people()).length
  } finally {
    await records.close()
  }
}

/** Waits until workers have learnt that a session is over. */
async function isOver(visitor: Visitor): Promise<void> {
  for (let n = 0; n < 300; n++) {
    if ((await sessionOf(visitor)).status === 401) return
    await delay(100)
  }
  assert.fail("the session goes on")
}

function knows(account: string, groups: readonly string[], more: object = {}): void {
  const claims = { name: `Name of ${account}`, email: `${account}@sso.example`, groups, ...more }
  desk.accounts.set(account, claims)
  desk.account = account
}

test("somebody the provider knows is signed in, with the roles of their groups", async () => {
  knows("ana", ["fraud team", "tips", "lookers", "others"])
  const browser = oidcBrowser(service)
  const asked = new URL(await browser.start())
  assert.equal(asked.origin, place.issuer)
  const parameter = (name: string) => asked.searchParams.get(name) ?? ""
  assert.equal(parameter("response_type"), "code")
  assert.equal(parameter("code_challenge_method"), "S256")
  assert.equal(parameter("redirect_uri"), originOf(service) + CALLBACK)
  for (const name of ["state", "nonce", "code_challenge"])
    assert.match(parameter(name), /^[\w-]{43}$/)
  const begun = await fetch(originOf(service) + START, { redirect: "manual" })
  assert.match(
    begun.headers.getSetCookie().join(),
    /^__Host-assay-oidc=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
  )

  const url = await browser.atProvider(asked.href)
  const page = await fetch(url, {
    headers: { cookie: `${COOKIE}=${browser.visitor.cookies.get(COOKIE)}` },
  })
  assert.match(
    page.headers.get("content-security-policy") ?? "",
    /script-src 'self'.*form-action 'self'/,
  )
  assert.doesNotMatch(page.headers.get("content-security-policy") ?? "", /unsafe|https?:/)
  assert.equal(page.headers.get("cache-control"), "no-store")
  const text = await page.text()
  // The code is sealed, and no script stands in the page.
  assert.ok(!text.includes(new URL(url).searchParams.get("code") ?? "-"))
  assert.doesNotMatch(text, /<script(?! src=)|onload|onclick/)

  const outcome = await browser.complete(await browser.comeBack(url))
  assert.equal(outcome.status, 303)
  assert.equal(outcome.headers.get("location"), "/console")
  assert.equal(browser.visitor.cookies.has(COOKIE), false)
  const { status, body } = await sessionOf(browser.visitor)
  assert.equal(status, 200)
  assert.equal(body.name, "Name of ana")
  assert.equal(body.tenant, "demo")
  assert.deepEqual(body.roles, ["analyst", "drop-recipient"])
  const { body: sessions } = await browser.visitor.send<{ sessions: { method: string }[] }>(
    "GET",
    "/api/v1/me/sessions",
  )
  assert.equal(sessions.sessions[0]?.method, "oidc")
})

test("the next sign-in is the same person, with a new session and the roles of now", async () => {
  knows("rita", ["lookers"])
  const [first, second, third] = [oidcBrowser(service), oidcBrowser(service), oidcBrowser(service)]
  assert.equal((await first.signIn()).status, 303)
  const before = (await sessionOf(first.visitor)).body
  assert.deepEqual(before.roles, ["viewer"])
  assert.equal((await second.signIn()).status, 303)
  assert.equal((await sessionOf(second.visitor)).body.person_id, before.person_id)
  assert.equal((await sessionOf(first.visitor)).status, 200)
  const token = "__Host-assay-session"
  assert.notEqual(first.visitor.cookies.get(token), second.visitor.cookies.get(token))

  knows("rita", ["admins"])
  assert.equal((await third.signIn()).status, 303)
  const { body } = await sessionOf(third.visitor)
  assert.equal(body.person_id, before.person_id)
  assert.deepEqual([body.tenant, body.roles], [null, ["administrator"]])
  await isOver(first.visitor)
  await isOver(second.visitor)

  // All groups are gone: nobody is signed in, and the session before ends.
  knows("rita", ["others"])
  const refused = await oidcBrowser(service).signIn()
  assert.deepEqual([refused.status, refused.code], [403, "no-role"])
  await isOver(third.visitor)
})

test("without a role that is known nobody is made", async () => {
  const before = await peopleCount()
  for (const groups of [[], ["others"], ["ghosts"], ["FRAUD TEAM"], "admins,lookers", 7, null]) {
    knows("nobody", [], { groups })
    const browser = oidcBrowser(service)
    const { status, code } = await browser.signIn()
    assert.deepEqual([status, code], [403, "no-role"], JSON.stringify(groups))
    assert.equal(browser.visitor.cookies.has("__Host-assay-session"), false)
  }
  assert.equal(await peopleCount(), before)
})

test("an address is no account: whoever has the same one here is somebody else", async () => {
  knows("imposter", ["lookers"], { email: ADMIN })
  const browser = oidcBrowser(service)
  assert.equal((await browser.signIn()).status, 303)
  const { body } = await sessionOf(browser.visitor)
  assert.deepEqual(body.roles, ["viewer"])
  assert.notEqual(body.person_id, (await sessionOf(admin)).body.person_id)
  const local = await sessionOf(await signsIn(service, ADMIN))
  assert.deepEqual(local.body.roles, ["administrator"])
  // And gets nothing else to sign in by.
  const set = await browser.visitor.send("PUT", "/api/v1/me/password", { password: PASSWORD })
  assert.deepEqual([set.status, set.body.code], [409, "outside-account"])
})

test("the last owner of a claim stays one, and the trail says so", async () => {
  const other = await openPlace()
  const roles = "chiefs=owner@demo,lookers=viewer@demo"
  await using own = await startService({
    args: ["--workers", "1"],
    env: { ...settingsOf(other), OIDC_ROLES: roles },
  })
  const here = await putProvider(other, originOf(own))
  here.account = "olga"
  here.accounts.set("olga", { groups: ["chiefs"] })
  assert.equal((await oidcBrowser(own).signIn()).status, 303)
  here.accounts.set("olga", { groups: ["lookers"] })
  const browser = oidcBrowser(own)
  assert.equal((await browser.signIn()).status, 303)
  assert.deepEqual((await sessionOf(browser.visitor)).body.roles, ["owner"])
  const env = { ASSAY_DATA: own.dataDirectory }
  // Every note of it names the request, as those of other sign-ins do.
  const { out } = await assay(["audit", "export"], env)
  const notes = out.split("\n").filter((line) => /single-sign-on|"session\.open"/.test(line))
  assert.ok(notes.length > 3)
  for (const note of notes) assert.match(note, /"request_id":"[0-9a-f]{24}"/)
  const trail = await assay(["audit", "list"], env)
  assert.match(trail.out, /single-sign-on.*person\.set-decided-roles.*"kept":\[\{.*"owner"/)
  assert.match(own.stderr(), /somebody keeps a role that nobody else has/)
  await other.close()
})

test("a sign-in is good once, for its browser, its state and its nonce", async () => {
  knows("eve", ["lookers"])
  const before = await peopleCount()
  const browser = oidcBrowser(service)
  const get = async (url: string, cookies: ReadonlyMap<string, string>) =>
    await problemIn(
      await fetch(url, { headers: { cookie: `${COOKIE}=${cookies.get(COOKIE) ?? ""}` } }),
    )
  const back = await browser.atProvider(await browser.start())

  const wrongState = new URL(back)
  wrongState.searchParams.set("state", "x".repeat(43))
  for (const url of [wrongState.href, `${back}&state=x`, back.replace(/state=[^&]*/, "")]) {
    const { status, code } = await get(url, browser.visitor.cookies)
    assert.deepEqual([status, code], [401, "sign-in-refused"], url)
  }
  // Without the cookie, and with one of another sign-in.
  assert.deepEqual(await get(back, new Map()), { status: 410, code: "step-over" })
  const other = oidcBrowser(service)
  await other.start()
  assert.equal((await get(back, other.visitor.cookies)).code, "sign-in-refused")

  // From another site, or as nothing the page sends.
  const returned = await browser.comeBack(back)
  for (const headers of [
    { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "null" },
  ]) {
    const { status, code } = await browser.complete(returned, headers)
    assert.deepEqual([status, code], [403, "cross-site"])
  }
  assert.equal((await other.complete(returned)).code, "step-over")
  assert.equal((await browser.complete("made-up")).code, "step-over")
  assert.equal((await browser.complete("")).code, "step-over")
  assert.equal(await peopleCount(), before)

  // The cookie is gone after the sign-in; whoever kept it gets no further by it.
  const kept = browser.visitor.cookies.get(COOKIE) ?? ""
  assert.equal((await browser.complete(returned)).status, 303)
  assert.equal(await peopleCount(), before + 1)
  browser.visitor.cookies.set(COOKIE, kept)
  const again = await browser.complete(returned)
  assert.deepEqual([again.status, again.code], [410, "step-over"])

  // A code that was used, in a sign-in of its own.
  const thief = oidcBrowser(service)
  const asked = new URL(await thief.start())
  const stolen = new URL(back)
  stolen.searchParams.set("state", asked.searchParams.get("state") ?? "")
  const replayed = await thief.complete(await thief.comeBack(stolen.href))
  assert.deepEqual([replayed.status, replayed.code], [401, "sign-in-refused"])

  // A token with another nonce is about another sign-in.
  const victim = oidcBrowser(service)
  const tampered = new URL(await victim.start())
  tampered.searchParams.set("nonce", "y".repeat(43))
  const nonce = await victim.complete(await victim.comeBack(await victim.atProvider(tampered.href)))
  assert.deepEqual([nonce.status, nonce.code], [401, "sign-in-refused"])
  assert.equal(victim.visitor.cookies.has("__Host-assay-session"), false)
})

test("a sign-in that took more than ten minutes is over", async () => {
  const secrets = openSecrets(join(data, "secret"), false)
  const at = (agoMs: number) => openTransactions(secrets, () => Date.now() - agoMs)
  for (const [ago, due] of [
    [9 * 60_000, 200],
    [10 * 60_000, 410],
  ] as const) {
    const { transaction, cookie } = at(ago).begin(originOf(service))
    const url = `${originOf(service)}${CALLBACK}?code=x&state=${transaction.state}`
    const answer = await fetch(url, { headers: { cookie: `${COOKIE}=${cookie}` } })
    assert.equal(answer.status, due)
  }
  // Nor is one that began at another address of the service.
  const { transaction, cookie } = at(0).begin("https://elsewhere.example")
  const url = `${originOf(service)}${CALLBACK}?code=x&state=${transaction.state}`
  const answer = await fetch(url, { headers: { cookie: `${COOKIE}=${cookie}` } })
  assert.equal(answer.status, 410)
})

test("whom the provider turns away is not signed in", async () => {
  desk.account = null
  const { status, code } = await oidcBrowser(service).signIn()
  assert.deepEqual([status, code], [401, "sign-in-refused"])
})

test("a name that says more than a name is not kept", async () => {
  for (const [n, name] of ["zoe@sso.example", "+61 491 570156", "", 7].entries()) {
    knows(`named-${n}`, ["lookers"], { name })
    const browser = oidcBrowser(service)
    assert.equal((await browser.signIn()).status, 303)
    assert.equal((await sessionOf(browser.visitor)).body.name, "Somebody")
  }
})

test("secrets, tokens, codes, accounts and addresses reach neither log nor disk", async () => {
  const email = "canary-address-5512@sso.example"
  knows("canary-subject-7781", ["lookers"], { name: "Cana", email })
  const browser = oidcBrowser(service)
  const asked = new URL(await browser.start())
  const back = new URL(await browser.atProvider(asked.href))
  assert.equal((await browser.complete(await browser.comeBack(back.href))).status, 303)
  const { body } = await admin.send<{ members: unknown[] }>("GET", "/api/v1/members")
  assert.ok(body.members.length > 0)
  assert.ok(desk.secrets.length > 1)
  const canaries = [
    CLIENT_SECRET,
    "canary-description-9920",
    "canary-subject-7781",
    "canary-address-5512",
    asked.searchParams.get("nonce") ?? "-",
    asked.searchParams.get("state") ?? "-",
    back.searchParams.get("code") ?? "-",
    browser.visitor.cookies.get("__Host-assay-session") ?? "-",
    ...desk.secrets,
  ]
  const written = service.stdout() + service.stderr()
  assert.deepEqual(
    canaries.filter((each) => written.includes(each)),
    [],
  )
  assert.deepEqual(filesWith(data, needlesOf(canaries)), [])
})

test("while the provider is away people of the service itself sign in", async () => {
  const { handler } = place
  place.handler = (_, response) => void response.writeHead(500).end("canary-description-9920")
  try {
    knows("late", ["lookers"])
    // What is known of the provider is kept, so the browser gets there; nothing answers its code.
    const browser = oidcBrowser(service)
    const asked = new URL(await browser.start())
    const url = `${originOf(service)}${CALLBACK}?code=x&iss=${encodeURIComponent(place.issuer)}&state=${asked.searchParams.get("state")}`
    const outcome = await browser.complete(await browser.comeBack(url))
    assert.deepEqual([outcome.status, outcome.code], [503, "sign-in-provider-unavailable"])
    assert.equal(outcome.headers.get("retry-after"), "10")
    const local = await signsIn(service, ADMIN)
    assert.deepEqual((await sessionOf(local)).body.roles, ["administrator"])
  } finally {
    place.handler = handler
  }
  assert.equal((await oidcBrowser(service).signIn()).status, 303)
})
