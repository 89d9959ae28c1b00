import assert from "node:assert/strict"
import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import type { SignUpOffer, SignUpResult, UsageReport } from "@assay/core/contract"
import { NETWORK_SIGN_UPS } from "../../packages/server/src/signup/sign-ups-a-day.ts"
import { assay } from "../cli/assay.ts"
import { type MailServer, startMailServer } from "./mail-server.ts"
import { startService } from "./service.ts"
import { sendForm, signUpForm } from "./sign-up-visitor.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const codeOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { code: string }).code

test("in a demo a stranger signs up, scores, and sees usage and decision", async () => {
  await using service = await startService()
  const offered = await service.request("/api/v1/signup", { key: null })
  const offer = (await offered.json()) as SignUpOffer
  assert.deepEqual([offer.mode, offer.plan], ["open", "free"])
  assert.ok(offer.terms.purposes.length > 1)

  const answer = await sendForm(service, await signUpForm(service, {}, { work: "real" }))
  assert.equal(answer.status, 201)
  const made = (await answer.json()) as SignUpResult
  assert.match(made.tenant, /^corner-shop-ltd-[0-9a-f]{8}$/)
  assert.equal(made.plan, "free")
  assert.match(made.owner_link, /^http:\/\/localhost:\d+\/console\/join#[\w-]{43}$/)

  const { key } = made
  const scored = await service.request("/api/v1/risk/score", {
    key,
    json: { email: "a@b.example" },
  })
  assert.equal(scored.status, 200)
  const decisionId = scored.headers.get("x-decision-id") ?? ""
  assert.equal((await service.request(`/api/v1/decisions/${decisionId}`, { key })).status, 200)
  const usage = await until(async () => {
    const response = await service.request("/api/v1/usage", { key })
    const report = (await response.json()) as UsageReport
    return report.total === 1 ? report : null
  })
  assert.equal(usage.usage[0]?.key_id, made.key_id)
  assert.equal(usage.lookups_per_month, 1000)
  // The plan has no more: its key cannot send evidence.
  const beyond = await service.request("/api/v1/evidence", { key, json: [] })
  assert.equal(beyond.status, 403)
})

test("what does not fit is refused and makes nothing", async () => {
  await using service = await startService()
  const form = await signUpForm(service)
  const cases: readonly [object, number, string][] = [
    [{ organisation: "owner@shop.example" }, 400, "invalid-request"],
    [{ organisation: "call +44 7400 123456" }, 400, "invalid-request"],
    [{ organisation: "\u0000" }, 400, "invalid-request"],
    [{ organisation: "" }, 400, "invalid-request"],
    [{ email: "no address" }, 422, "not-an-email"],
    [{ purposes: [] }, 400, "invalid-request"],
    [{ purposes: ["curiosity"] }, 400, "invalid-request"],
    [{ terms_version: "1999-01" }, 409, "terms-changed"],
    [{ proof: { challenge: {}, solution: {} } }, 422, "proof-refused"],
  ]
  for (const [change, status, code] of cases) {
    const answer = await sendForm(service, { ...form, ...change })
    assert.deepEqual([answer.status, await codeOf(answer)], [status, code], JSON.stringify(change))
  }
  // None of them has used the work up, and it is good once.
  assert.equal((await sendForm(service, form)).status, 201)
  assert.equal(await codeOf(await sendForm(service, form)), "proof-refused")
  const tenants = await assay(["tenants", "list"], { ASSAY_DATA: service.dataDirectory })
  assert.equal(tenants.out.match(/corner-shop/g)?.length, 1)
})

test("a network has its sign-ups of the day, counted where the proxy says it comes from", async () => {
  await using service = await startService({ env: { ASSAY_TRUSTED_PROXIES: "127.0.0.1,::1" } })
  const from = async (address: string): Promise<Response> =>
    await service.request("/api/v1/signup", {
      key: null,
      json: await signUpForm(service),
      headers: { "x-forwarded-for": address },
    })
  for (let n = 1; n <= NETWORK_SIGN_UPS; n++) assert.equal((await from(`192.0.2.${n}`)).status, 201)
  const refused = await from("192.0.2.200")
  assert.equal(await codeOf(refused), "sign-ups-exceeded")
  assert.ok(Number(refused.headers.get("retry-after")) > 0)
  assert.equal((await from("198.51.100.1")).status, 201)
})

test("where sign-ups are off, nothing about them is answered", async () => {
  await using service = await startService({ env: { ASSAY_SIGNUP: "off" } })
  for (const [path, init] of [
    ["/api/v1/signup", {}],
    ["/api/v1/signup/confirm", { json: { token: "a".repeat(43) } }],
  ] as const) {
    const answer = await service.request(path, { key: null, ...init })
    assert.deepEqual([answer.status, await codeOf(answer)], [404, "sign-up-off"])
  }
})

test("a confirmed sign-up is completed by the token of its mail, once", async () => {
  await using mail = await startMailServer()
  const dataDirectory = join(temporary, "confirmed")
  await using service = await startService({ dataDirectory, env: confirmedBy(mail) })
  const form = await signUpForm(service, { email: "canary.owner@shop.example" })
  const asked = await sendForm(service, form)
  assert.equal(asked.status, 202)
  assert.deepEqual(await asked.json(), { state: "mail-sent" })
  const letter = mail.letters[0]
  assert.ok(letter !== undefined)
  assert.deepEqual(letter.to, ["canary.owner@shop.example"])
  assert.equal(letter.from, "assay@service.example")
  const token = tokenIn(letter.source)

  const confirm = (text: string): Promise<Response> =>
    service.request("/api/v1/signup/confirm", { key: null, json: { token: text } })
  assert.equal(await codeOf(await confirm("a".repeat(43))), "token-over")
  const both = await Promise.all([confirm(token), confirm(token)])
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [201, 410])
  const made = (await both.find(({ status }) => status === 201)?.json()) as SignUpResult
  const scored = await service.request("/api/v1/risk/score", {
    key: made.key,
    json: { email: "a@b.example" },
  })
  assert.equal(scored.status, 200)

  // A second sign-up of the address is answered the same, and only its owner learns why.
  const again = await sendForm(
    service,
    await signUpForm(service, { email: "canary.owner@shop.example" }),
  )
  assert.deepEqual([again.status, await again.json()], [202, { state: "mail-sent" }])
  const second = textOf(mail.letters[1]?.source ?? "")
  assert.match(second, /has an organisation here already/)
  assert.doesNotMatch(second, /^ {4}/m)

  await service.stop()
  const said = service.stdout() + service.stderr()
  for (const canary of ["canary.owner", token, made.key])
    assert.ok(!said.includes(canary), `${canary} was printed`)
  for (const file of readdirSync(dataDirectory, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue
    const bytes = readFileSync(join(file.parentPath, file.name))
    for (const canary of ["canary.owner", token, made.key])
      assert.equal(bytes.indexOf(canary), -1, `${canary} is in ${file.name}`)
  }
})

test("a mail that cannot be sent leaves nothing, and what the mail server said is not told", async () => {
  await using mail = await startMailServer()
  await using service = await startService({ env: confirmedBy(mail) })
  mail.refuse()
  const answer = await sendForm(service, await signUpForm(service))
  assert.deepEqual([answer.status, await codeOf(answer)], [503, "mail-unavailable"])
  assert.ok(Number(answer.headers.get("retry-after")) > 0)
  assert.match(service.stderr(), /a mail could not be sent/)
  assert.doesNotMatch(service.stderr(), /canary-of-the-mail-server|owner@shop/)
})

test("an approved sign-up waits for an administrator, whose token completes it", async () => {
  await using service = await startService({ env: { ASSAY_SIGNUP: "approved" } })
  const env = { ASSAY_DATA: service.dataDirectory }
  for (const organisation of ["First", "Second"]) {
    const asked = await sendForm(service, await signUpForm(service, { organisation }))
    assert.deepEqual([asked.status, await asked.json()], [202, { state: "waiting" }])
  }
  const listed = await assay(["signups", "list"], env)
  assert.match(listed.out, /^SIGN-UP +ASKED +ORGANISATION +OWNER +PURPOSES\n/)
  const ids = [...listed.out.matchAll(/^(su_[0-9a-f]{16}) /gm)].map(([, id]) => id ?? "")
  assert.equal(ids.length, 2)
  const [first = "", second = ""] = ids
  const approved = await assay(["signups", "approve", first], env)
  assert.match(approved.out, /^[\w-]{43}\n$/)
  const refused = await assay(["signups", "refuse", second], env)
  assert.equal(refused.out, `Sign-up ${second} is refused.\n`)
  const twice = await assay(["signups", "approve", second], env)
  assert.deepEqual([twice.code, twice.out], [1, ""])
  assert.match(twice.err, /No such sign-up waits/)

  const json = { token: approved.out.trim() }
  const done = await service.request("/api/v1/signup/confirm", { key: null, json })
  assert.equal(done.status, 201)
  assert.match(((await done.json()) as SignUpResult).tenant, /^first-/)
  assert.equal((await assay(["signups", "list"], env)).out, "")
  // Without a session nobody decides.
  assert.equal((await service.request("/api/v1/signups", { key: null })).status, 401)
  assert.equal((await service.request("/api/v1/signups")).status, 403)
})

function confirmedBy({ url }: MailServer): Record<string, string> {
  return {
    ASSAY_SIGNUP: "confirmed",
    ASSAY_SMTP_URL: url,
    ASSAY_MAIL_FROM: "assay@service.example",
  }
}

function tokenIn(source: string): string {
  const token = /^ {4}([\w-]{43})\r?$/m.exec(textOf(source))?.[1]
  assert.ok(token !== undefined, "the letter has no token")
  return token
}

/** A letter without the soft line ends of its encoding. */
function textOf(source: string): string {
  return source.replaceAll("=\r\n", "")
}

async function until<T>(find: () => Promise<T | null>): Promise<T> {
  const endMs = Date.now() + 60_000
  for (;;) {
    const found = await find()
    if (found !== null) return found
    assert.ok(Date.now() < endMs, "it did not come about")
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
