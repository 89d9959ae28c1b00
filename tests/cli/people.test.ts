import assert from "node:assert/strict"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { joins, printedToken, tokenIn, visitor } from "../http/signed-in.ts"
import { type Service, startService } from "../http/service.ts"
import { temporaryDirectory } from "../http/temporary.ts"
import { assay, assayHere } from "./assay.ts"

const data = join(temporaryDirectory(), "data")
const env = { ASSAY_DATA: data }
const LINK = /^http:\/\/localhost:\d+\/console\/join#[\w-]{43}\n$/

let service: Service
before(async () => {
  service = await startService({ dataDirectory: data, args: ["--workers", "1"] })
})
after(() => service.stop())

const people = (...args: string[]) => assay(["people", ...args], env)
const peopleHere = (...args: string[]) => assayHere(["people", ...args], env)

async function idOf(name: string): Promise<string> {
  const { out } = await peopleHere("list")
  const line = out.split("\n").find((each) => each.includes(` ${name} `)) ?? ""
  return /per_[0-9a-f]{16}/.exec(line)?.[0] ?? "nobody"
}

test("people are invited by a link, listed without their address, given roles and signed out", async () => {
  const empty = await people("list")
  assert.match(empty.out, /^ID +NAME +ADDRESS +FOR THE SERVICE +IN TENANTS +SESSIONS +SINCE\n$/)
  await joins(service, printedToken(service), "ada@people.example")

  const made = await people("invite", "--tenant", "demo", "--role", "owner")
  assert.equal(made.code, 0)
  assert.match(made.out, LINK)
  assert.match(
    made.err,
    /^Whoever opens it first becomes owner of tenant demo\.\nThe link is good once, until \d{4}-\d\d-\d\dT.*:\n$/,
  )
  const olga = await joins(service, tokenIn(made.out.trim()), "olga@people.example")
  const { out } = await people("list")
  assert.match(
    out,
    /\nper_[0-9a-f]{16} +ada +a…@people\.example +administrator +none +1 +\d{4}-\d\d-\d\d\n/,
  )
  assert.match(out, /\nper_[0-9a-f]{16} +olga +o…@people\.example +none +demo:owner +1 +/)
  assert.doesNotMatch(out, /olga@people/)

  const id = await idOf("olga")
  const last = await people("set", id, "--tenant", "demo", "--role", "viewer")
  assert.equal(last.code, 1)
  assert.match(last.err, /The tenant would have no owner/)
  const given = await people("set", "olga@people.example", "--service-roles", "drop-recipient")
  assert.equal(given.out, `${id} is drop-recipient for the service.\n`)
  assert.match(given.err, /signed out everywhere within 5 seconds/)
  const ended = await people("end-sessions", id)
  assert.equal(ended.out, `${id} is signed out: 0 sessions.\n`)
  assert.notEqual(olga.cookies.size, 0)
})

test("a link gets somebody back in, by id or address", async () => {
  const id = await idOf("ada")
  const made = await people("link", "ADA@people.example")
  assert.match(made.out, LINK)
  assert.match(made.err, new RegExp(`^Whoever opens it first signs in as ${id};`))
  const token = tokenIn(made.out.trim())
  const json = { token, password: "another-violet-harbour" }
  const answer = await visitor(service).send("POST", "/api/v1/join", json)
  assert.equal(answer.status, 200)
})

test("what does not fit is refused with a sentence, and nobody who is not there", async () => {
  for (const [args, sentence] of [
    [["invite"], /--role takes administrator, drop-recipient without a tenant/],
    [["invite", "--tenant", "demo", "--role", "administrator"], /takes owner, analyst, viewer in/],
    [["invite", "--tenant", "none", "--role", "owner"], /There is no tenant none/],
    [["link", "nobody@people.example"], /There is no such person/],
    [["link", "per_0"], /There is no such person/],
    [["set", "per_0"], /Say --service-roles, or --tenant with --role/],
    [["set", "per_0", "--tenant", "demo"], /Say --service-roles, or --tenant with --role/],
    [["set", "per_0", "--service-roles", "owner"], /takes administrator, drop-recipient or none/],
    [
      ["set", "per_0", "--tenant", "demo", "--role", "boss"],
      /takes owner, analyst, viewer or none/,
    ],
  ] as const) {
    const { code, out, err } = await peopleHere(...args)
    assert.notEqual(code, 0, args.join(" "))
    assert.equal(out, "")
    assert.match(err, sentence)
    assert.doesNotMatch(err, /nobody@/)
  }
})

test("in production nobody is invited before people can reach the console", async () => {
  const production = {
    NODE_ENV: "production",
    ASSAY_DATA: join(temporaryDirectory(), "production"),
    ASSAY_SECRET_IN_DATA: "true",
  }
  const refused = await assay(["people", "invite", "--role", "administrator"], production)
  assert.equal(refused.code, 1)
  assert.match(refused.err, /Set CONSOLE_ORIGIN first/)
  const invite = ["people", "invite", "--role", "administrator"]
  const origin = { CONSOLE_ORIGIN: "https://risk.acme.example" }
  const made = await assay(invite, { ...production, ...origin })
  assert.match(made.out, /^https:\/\/risk\.acme\.example\/console\/join#[\w-]{43}\n$/)
  for (const wrong of ["http://risk.acme.example", "https://192.0.2.1", "https://a.example/x"]) {
    const { code, err } = await assay(invite, { ...production, CONSOLE_ORIGIN: wrong })
    assert.equal(code, 1)
    assert.match(err, /CONSOLE_ORIGIN takes an origin such as https:\/\/risk\.example\.com/)
  }
})
