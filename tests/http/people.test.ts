import assert from "node:assert/strict"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { totpCode, totpStepAt } from "../../packages/server/src/people/totp.ts"
import { assay } from "../cli/assay.ts"
import { ofOneNode } from "./about-one-node.ts"
import { type Service, startService } from "./service.ts"
import {
  joins,
  PASSWORD,
  printedToken,
  signsIn,
  tokenIn,
  visitor,
  type Visitor,
} from "./signed-in.ts"
import { temporaryDirectory } from "./temporary.ts"

const data = join(temporaryDirectory(), "data")
const ADMIN = "ada.admin@people.example"
const OWNER = "olga.owner@people.example"
const ANALYST = "anton.analyst@people.example"

let service: Service
let admin: Visitor
let owner: Visitor
let firstToken: string
before(async () => {
  service = await startService({ dataDirectory: data, args: ["--workers", "2"] })
  firstToken = printedToken(service)
  admin = await joins(service, firstToken, ADMIN)
  owner = await joins(service, await invited("--tenant", "demo", "--role", "owner"), OWNER)
})
after(() => service.stop())

/** Makes a link in the operator's shell and returns its token. */
async function invited(...args: string[]): Promise<string> {
  const made = await assay(["people", "invite", ...args], { ASSAY_DATA: data })
  assert.equal(made.code, 0, made.err)
  assert.match(made.out, new RegExp(`^http://localhost:${service.port}/console/join#[\\w-]{43}\n$`))
  return tokenIn(made.out.trim())
}

/** An owner's invitation of somebody to the tenant. */
async function invite(role: string, by = owner): Promise<string> {
  const { status, body } = await by.send<{ link: string }>("POST", "/api/v1/members/invitations", {
    role,
  })
  assert.equal(status, 200, JSON.stringify(body))
  return tokenIn(body.link)
}

interface Session {
  person_id: string
  tenant_id: number | null
  tenant: string | null
  roles: string[]
  expires_at: string
}
const session = (browser: Visitor) => browser.send<Session>("GET", "/api/v1/session")

/**
 * Repeats `look` until it returns true; a change acts within 5 s, on a machine that is not busy.
 */
async function eventually(look: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await look())) {
    assert.ok(Date.now() < deadline, "it did not come about")
    await delay(200)
  }
}

const isOut = (browser: Visitor) => async (): Promise<boolean> =>
  (await session(browser)).status === 401

test("the first administrator joins by the printed link, once", async () => {
  const { body } = await session(admin)
  assert.deepEqual(body.roles, ["administrator"])
  assert.equal(body.tenant_id, null)
  const again = await visitor(service).send("POST", "/api/v1/join", {
    token: firstToken,
    name: "eve",
    email: "eve@people.example",
    password: PASSWORD,
  })
  assert.deepEqual([again.status, again.body.code], [410, "invitation-over"])
  const looked = await visitor(service).send("POST", "/api/v1/join/look", { token: firstToken })
  assert.equal(looked.status, 410)
  assert.ok(!service.stderr().includes(firstToken), "the link is in the log")
})

test("a session is a cookie that no script and no other site gets, and no key", async () => {
  const answer = await visitor(service).send("POST", "/api/v1/session", {
    email: OWNER,
    password: PASSWORD,
  })
  const [cookie = "", device = ""] = answer.headers.getSetCookie()
  const attributes = "; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age="
  assert.match(cookie, /^__Host-assay-session=[\w-]{43}; /)
  assert.match(device, /^__Host-assay-device=[\w-]+; /)
  for (const each of [cookie, device]) assert.ok(each.includes(attributes), each)
  assert.ok(!JSON.stringify(answer.body).includes(cookie.split(/[=;]/)[1] ?? "?"))
})

test("signing in again gives a new id, and signing out ends the session at once", async () => {
  const browser = await signsIn(service, OWNER)
  const first = browser.cookies.get("__Host-assay-session")
  await signsIn(service, OWNER, { browser })
  assert.notEqual(browser.cookies.get("__Host-assay-session"), first)
  const copy = visitor(service)
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
  assert.equal((await session(copy)).status, 200)
  assert.equal((await browser.send("DELETE", "/api/v1/session")).status, 200)
  assert.equal(browser.cookies.has("__Host-assay-session"), false)
  await eventually(isOut(copy))
})

test("wrong passwords and unknown addresses are answered alike", async () => {
  const wrong = await visitor(service).send("POST", "/api/v1/session", {
    email: OWNER,
    password: "not this one at all",
  })
  const unknown = await visitor(service).send("POST", "/api/v1/session", {
    email: "nobody@people.example",
    password: "not this one at all",
  })
  for (const answer of [wrong, unknown]) {
    assert.equal(answer.status, 401)
    assert.deepEqual(answer.headers.getSetCookie(), [])
  }
  const { request_id: _one, ...first } = wrong.body
  const { request_id: _two, ...second } = unknown.body
  assert.deepEqual(first, second)
})

test("what a person may do is a matter of their role", async () => {
  const analyst = await joins(service, await invite("analyst"), ANALYST)
  const viewer = await joins(service, await invite("viewer"), "vera@people.example")
  const score = (browser: Visitor) =>
    browser.send("POST", "/api/v1/risk/score", { email: "ana.silva@mail.example" })
  assert.equal((await score(analyst)).status, 200)
  assert.equal((await score(owner)).status, 200)
  const refused = await score(viewer)
  assert.deepEqual([refused.status, refused.body.code], [403, "insufficient-role"])
  assert.equal((await score(admin)).status, 403)
  for (const browser of [owner, analyst, viewer])
    assert.equal((await browser.send("GET", "/api/v1/decisions")).status, 200)
  assert.equal((await analyst.send("POST", "/api/v1/members/invitations", {})).status, 403)
  // Counted under the tenant's key for people.
  await eventually(async () => {
    const usage = await owner.send<{ usage: { key_id: string }[] }>("GET", "/api/v1/usage")
    return usage.body.usage.some(({ key_id: id }) => id.startsWith("console_"))
  })
  const batch = await analyst.send<{ results: unknown[] }>("POST", "/api/v1/risk/score/batch", {
    emails: ["ana.silva@mail.example"],
  })
  assert.equal(batch.status, 200)
  const decisions = await owner.send("GET", "/api/v1/me", undefined, {
    authorization: `Bearer ${service.key ?? ""}`,
  })
  assert.deepEqual([decisions.status, decisions.body.code], [403, "insufficient-scope"])
})

test("requests of a session come from the console and carry its token", async () => {
  const own = `http://localhost:${service.port}`
  const sent = (headers: Record<string, string>) =>
    owner.send("POST", "/api/v1/risk/score", { email: "ana.silva@mail.example" }, headers)
  assert.equal((await sent({ "sec-fetch-site": "same-origin" })).status, 200)
  for (const headers of [
    { "x-csrf-token": "" },
    { "x-csrf-token": "x".repeat(43) },
    { origin: "https://evil.example" },
    { origin: `http://127.0.0.1:${service.port}` },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: own, "sec-fetch-site": "cross-site" },
  ]) {
    const answer = await sent(headers)
    assert.deepEqual(
      [answer.status, answer.body.code],
      [403, "cross-site"],
      JSON.stringify(headers),
    )
  }
  const read = await owner.send("GET", "/api/v1/session", undefined, {
    "sec-fetch-site": "cross-site",
  })
  assert.equal(read.status, 403)
  const forged = await visitor(service).send(
    "POST",
    "/api/v1/session",
    { email: OWNER, password: PASSWORD },
    { origin: "https://evil.example" },
  )
  assert.deepEqual([forged.status, forged.body.code], [403, "cross-site"])
  assert.deepEqual(forged.headers.getSetCookie(), [])
})

test("the last owner can neither leave nor be demoted, and others can", async () => {
  const { person_id: me } = (await session(owner)).body
  const role = await owner.send("PUT", `/api/v1/members/${me}/role`, { role: "viewer" })
  assert.deepEqual([role.status, role.body.code], [409, "last-owner"])
  const left = await owner.send("DELETE", `/api/v1/members/${me}`)
  assert.deepEqual([left.status, left.body.code], [409, "last-owner"])
  assert.equal((await session(owner)).status, 200)

  const second = await joins(service, await invite("owner"), "oscar@people.example")
  const { person_id: oscar } = (await session(second)).body
  const demoted = await owner.send("PUT", `/api/v1/members/${oscar}/role`, { role: "viewer" })
  assert.equal(demoted.status, 200)
  await eventually(isOut(second))
  const back = await signsIn(service, "oscar@people.example")
  assert.deepEqual((await session(back)).body.roles, ["viewer"])
  assert.equal((await owner.send("DELETE", `/api/v1/members/${oscar}`)).status, 200)
  await eventually(isOut(back))
  const after = await signsIn(service, "oscar@people.example")
  assert.deepEqual((await session(after)).body.roles, [])
  assert.equal((await after.send("GET", "/api/v1/decisions")).status, 403)
})

test("members and invitations of another tenant are not there", async () => {
  const made = await assay(["tenants", "create", "other"], { ASSAY_DATA: data })
  assert.equal(made.code, 0)
  const stranger = await joins(
    service,
    await invited("--tenant", "other", "--role", "owner"),
    "otto@people.example",
  )
  const { person_id: olga } = (await session(owner)).body
  const { body } = await owner.send<{ id: string }>("POST", "/api/v1/members/invitations", {
    role: "viewer",
  })
  for (const [method, path, json] of [
    ["PUT", `/api/v1/members/${olga}/role`, { role: "viewer" }],
    ["DELETE", `/api/v1/members/${olga}`, undefined],
    ["DELETE", `/api/v1/members/invitations/${body.id}`, undefined],
  ] as const) {
    const answer = await stranger.send(method, path, json)
    assert.deepEqual([answer.status, answer.body.code], [404, "entry-not-found"], path)
  }
  const { body: own } = await stranger.send<{ members: { name: string }[] }>(
    "GET",
    "/api/v1/members",
  )
  assert.deepEqual(
    own.members.map(({ name }) => name),
    ["otto"],
  )
  const moved = await stranger.send("PUT", "/api/v1/session/tenant", { tenant_id: 1 })
  assert.equal(moved.status, 404)
  const listed = await owner.send<{ invitations: { id: string }[] }>("GET", "/api/v1/members")
  assert.ok(listed.body.invitations.some(({ id }) => id === body.id))
  assert.equal((await owner.send("DELETE", `/api/v1/members/invitations/${body.id}`)).status, 200)
  // The plan of that tenant is free, which has no evidence of its own.
  const evidence = await stranger.send("POST", "/api/v1/evidence", { lines: [] })
  assert.equal(evidence.status, 403)
})

test("somebody known takes up an invitation signed in, and acts in either tenant", async () => {
  const token = await invited("--tenant", "other", "--role", "viewer")
  const taken = await visitor(service).send("POST", "/api/v1/join", {
    token,
    name: "again",
    email: ANALYST.toUpperCase(),
    password: PASSWORD,
  })
  assert.deepEqual([taken.status, taken.body.code], [409, "address-taken"])
  const analyst = await signsIn(service, ANALYST)
  const before = analyst.cookies.get("__Host-assay-session")
  assert.equal((await analyst.send("POST", "/api/v1/join/accept", { token })).status, 200)
  assert.notEqual(analyst.cookies.get("__Host-assay-session"), before)
  const { body } = await session(analyst)
  assert.deepEqual([body.tenant, body.roles], ["other", ["viewer"]])
  const { body: known } = await session(owner)
  const home = await analyst.send("PUT", "/api/v1/session/tenant", { tenant_id: known.tenant_id })
  assert.equal(home.status, 200)
  assert.deepEqual((await session(analyst)).body.roles, ["analyst"])
  const old = visitor(service)
  old.cookies.set("__Host-assay-session", before ?? "")
  await eventually(isOut(old))
})

test("an authenticator app: a code is needed, is good once, and a recovery code stands in", async () => {
  const email = "tina@people.example"
  const tina = await joins(service, await invite("viewer"), email)
  const other = await signsIn(service, email)
  const { body: start } = await tina.send<{ step: string; secret: string; uri: string }>(
    "POST",
    "/api/v1/me/totp/start",
  )
  assert.match(start.uri, /^otpauth:\/\/totp\/Assay:tina%40people\.example\?secret=[A-Z2-7]{32}&/)
  const wrong = await tina.send("POST", "/api/v1/me/totp", { step: start.step, code: "000000x" })
  assert.equal(wrong.status, 401)
  const now = totpStepAt(Date.now())
  const { body } = await tina.send<{ recovery_codes: string[] }>("POST", "/api/v1/me/totp", {
    step: start.step,
    code: totpCode(start.secret, now),
  })
  assert.equal(body.recovery_codes.length, 10)
  await eventually(isOut(other))
  assert.equal((await session(tina)).status, 200)

  const begin = async (): Promise<[Visitor, string]> => {
    const browser = visitor(service)
    const { body: first } = await browser.send<{ state: string; step: string }>(
      "POST",
      "/api/v1/session",
      { email, password: PASSWORD },
    )
    assert.equal(first.state, "second_step")
    assert.equal((await session(browser)).status, 401)
    return [browser, first.step]
  }
  const [browser, step] = await begin()
  const send = (each: Visitor, code: string, of: string) =>
    each.send("POST", "/api/v1/session/second-step", { step: of, code })
  assert.equal((await send(browser, "123456", step)).status, 401)
  // The code that set the app up is used.
  assert.equal((await send(browser, totpCode(start.secret, now), step)).status, 401)
  const [next, nextStep] = await begin()
  const code = totpCode(start.secret, now + 1)
  assert.equal((await send(next, code, nextStep)).status, 200)
  assert.equal((await session(next)).status, 200)
  const [third, thirdStep] = await begin()
  assert.equal((await send(third, code, thirdStep)).status, 401)
  const [fourth, fourthStep] = await begin()
  const recovery = body.recovery_codes[3]?.toLowerCase().replaceAll("-", " ") ?? ""
  assert.equal((await send(fourth, recovery, fourthStep)).status, 200)
  const over = await send(fourth, recovery, fourthStep)
  assert.deepEqual([over.status, over.body.code], [410, "step-over"])
  const [fifth, fifthStep] = await begin()
  assert.equal((await send(fifth, recovery, fifthStep)).status, 401)
  const { body: mine } = await fourth.send<{ recovery_codes: number }>("GET", "/api/v1/me")
  assert.equal(mine.recovery_codes, 9)

  const made = await fourth.send<{ recovery_codes: string[] }>("POST", "/api/v1/me/recovery-codes")
  assert.equal(made.body.recovery_codes.length, 10)
  assert.equal((await fourth.send("DELETE", "/api/v1/me/totp")).status, 200)
  await signsIn(service, email)
})

test("passwords that are guessed soon are refused, and a new one ends the other sessions", async () => {
  const email = "paula.password@people.example"
  const token = await invite("viewer")
  for (const password of [
    "paula.password@people.example",
    "passwordpassword",
    "Password123456!",
    "qwertyuiopas",
    "abcabcabcabcabc",
    "123456789012345",
  ]) {
    const json = { token, name: "Paula", email, password }
    const { status, body } = await visitor(service).send("POST", "/api/v1/join", json)
    assert.deepEqual([status, body.code], [422, "password-weak"], password)
  }
  const short = { token, name: "Paula", email, password: "short" }
  assert.equal((await visitor(service).send("POST", "/api/v1/join", short)).status, 400)
  const paula = await joins(service, token, email)
  const other = await signsIn(service, email)
  const changed = await paula.send("PUT", "/api/v1/me/password", { password: `${PASSWORD}-new` })
  assert.equal(changed.status, 200)
  await eventually(isOut(other))
  assert.equal((await session(paula)).status, 200)
  const old = await visitor(service).send("POST", "/api/v1/session", { email, password: PASSWORD })
  assert.equal(old.status, 401)
  await signsIn(service, email, { password: `${PASSWORD}-new` })
})

const skip = ofOneNode("it writes to the file of the records")
test("sessions are listed and ended, and end by themselves", { skip }, async () => {
  const email = "sam@people.example"
  const one = await joins(service, await invite("viewer"), email)
  const two = await signsIn(service, email)
  const three = await signsIn(service, email)
  interface Listed {
    sessions: { id: string; current: boolean; method: string }[]
  }
  const { body } = await one.send<Listed>("GET", "/api/v1/me/sessions")
  assert.equal(body.sessions.length, 3)
  assert.deepEqual(body.sessions.filter(({ current }) => current).length, 1)
  const theirs = await owner.send<Listed>("GET", "/api/v1/me/sessions")
  const stranger = theirs.body.sessions[0]?.id ?? ""
  assert.equal((await one.send("DELETE", `/api/v1/me/sessions/${stranger}`)).status, 404)
  const { body: second } = await two.send<Listed>("GET", "/api/v1/me/sessions")
  const ending = second.sessions.find(({ current }) => current)?.id ?? ""
  assert.equal((await one.send("DELETE", `/api/v1/me/sessions/${ending}`)).status, 200)
  await eventually(isOut(two))
  const { body: ended } = await one.send<{ ended: number }>("DELETE", "/api/v1/me/sessions")
  assert.equal(ended.ended, 1)
  await eventually(isOut(three))

  const database = new DatabaseSync(join(data, "records.sqlite"))
  const { person_id: id } = (await session(one)).body
  const late = await signsIn(service, email)
  // Signed in 16 minutes ago: what one signs in by is then out of reach.
  const shift = database.prepare("update sessions set signed_in_at = ? where person_id = ?")
  shift.run(Date.now() - 16 * 60_000, id)
  database.exec("update meta set value = cast(value as integer) + 1 where name = 'people_version'")
  await eventually(async () => {
    const { body: refusal } = await late.send("PUT", "/api/v1/me/password", { password: PASSWORD })
    return refusal.code === "sign-in-again"
  })
  assert.equal((await session(late)).status, 200)
  for (const change of [
    `seen_at = ${Date.now() - 31 * 60_000}`,
    `expires_at = ${Date.now() - 1}`,
  ]) {
    const browser = await signsIn(service, email)
    assert.equal((await session(browser)).status, 200)
    database.exec(`update sessions set ${change} where person_id = '${id}'`)
    database.exec(
      "update meta set value = cast(value as integer) + 1 where name = 'people_version'",
    )
    // Used by way of a worker that has not read it again yet, it counts as used.
    await delay(5000)
    database.exec(`update sessions set ${change} where person_id = '${id}'`)
    await eventually(isOut(browser))
  }
  database.close()
})

test("a link gets somebody back in who lost everything, and ends what was there", async () => {
  const email = "lena.lost@people.example"
  const before = await joins(service, await invite("viewer"), email)
  const made = await assay(["people", "link", email], { ASSAY_DATA: data })
  assert.equal(made.code, 0, made.err)
  const token = tokenIn(made.out.trim())
  const looked = await visitor(service).send("POST", "/api/v1/join/look", { token })
  assert.deepEqual([looked.body["back_in"], looked.body["role"]], [true, null])
  const refused = await before.send("POST", "/api/v1/join/accept", { token })
  assert.equal(refused.status, 410)
  const browser = visitor(service)
  const password = `${PASSWORD}-again`
  assert.equal((await browser.send("POST", "/api/v1/join", { token, password })).status, 200)
  assert.deepEqual((await session(browser)).body.roles, ["viewer"])
  await eventually(isOut(before))
  const back = await signsIn(service, email, { password })
  assert.deepEqual((await session(back)).body.roles, ["viewer"])
  const old = await visitor(service).send("POST", "/api/v1/session", { email, password: PASSWORD })
  assert.equal(old.status, 401)
})

test("an administrator who acts in no tenant sees to the service's own people", async () => {
  const token = await invite("drop-recipient", admin)
  const refused = await admin.send("POST", "/api/v1/members/invitations", { role: "owner" })
  assert.equal(refused.status, 400)
  await joins(service, token, "rita@people.example")
  const { body } = await admin.send<{ members: { person_id: string; roles: string[] }[] }>(
    "GET",
    "/api/v1/members",
  )
  assert.deepEqual(
    body.members
      .map(({ roles }) => roles)
      .flat()
      .toSorted(),
    ["administrator", "drop-recipient"],
  )
  const ada = body.members.find(({ roles }) => roles.includes("administrator"))?.person_id ?? ""
  const left = await admin.send("DELETE", `/api/v1/members/${ada}`)
  assert.deepEqual([left.status, left.body.code], [409, "last-owner"])
})
