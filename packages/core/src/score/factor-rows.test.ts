import assert from "node:assert/strict"
import { test } from "node:test"
import { assessEmail, explainEmail } from "./assess-email.ts"
import { explainPhone } from "./assess-phone.ts"
import email11 from "./email-1.1.json" with { type: "json" }
import type { EmailInput } from "./email-input.ts"
import { emailModels, loadEmailModel, loadPhoneModel } from "./models.ts"
import phone11 from "./phone-1.1.json" with { type: "json" }
import { EMAIL_REASON_CODES, PHONE_REASON_CODES } from "./vocabulary.ts"

const free = { code: "FREE_MAIL", member: "free", nats: 1, text: "Free mail" }
const length = {
  code: "LONG_NAME",
  member: "localLength",
  table: [
    [10, 0],
    [20, 2],
  ],
  text: "A name of {value} characters",
}
const withRows = (...factors: object[]) => loadEmailModel({ ...email11, version: "9.0", factors })
const input: EmailInput = {
  as_of: "2026-03-10",
  checked: { sources: 3 },
  trust: { free: true, localLength: 15, role: true },
}

test("a row weighs a flag or a number, has its reason, and is explained by its own code", () => {
  const model = withRows(free, length)
  const { contributions, mitigations } = explainEmail(input, model)
  const told = new Map(contributions.map(({ code, text }) => [code, text]))
  assert.deepEqual([...told.keys()], ["ID_ROLE", "FREE_MAIL", "LONG_NAME"])
  assert.equal(told.get("LONG_NAME"), "A name of 15 characters")
  assert.deepEqual(mitigations.terms, [])
  assert.ok(assessEmail(input, model).risk_reasons.includes("Free mail"))
  const against = withRows({ ...free, nats: -1 })
  assert.deepEqual(explainEmail(input, against).mitigations.terms, [
    { term: "free_mail", nats: -1 },
  ])
})

test("what is unknown weighs nothing, and a document without rows scores as before", () => {
  const { trust: _trust, ...bare } = input
  const [rows, plain] = [withRows(free, length), emailModels["1.1"]]
  assert.equal(assessEmail(bare, rows).risk_score, assessEmail(bare, plain).risk_score)
})

test("a 65th code and those after it are told as truly as the first", () => {
  const rows = Array.from({ length: 70 }, (_, at) => ({ ...free, code: `ROW_${at}`, nats: 0.1 }))
  const { contributions, baseline, rounding } = explainEmail(input, withRows(...rows))
  const codes = contributions.map(({ code }) => code)
  assert.deepEqual(codes, ["ID_ROLE", ...rows.map(({ code }) => code)])
  assert.ok(EMAIL_REASON_CODES.length + rows.length > 65)
  const score = contributions.reduce((sum, { points }) => sum + points, baseline) + rounding
  assert.ok(Math.abs(score - Math.round(score)) < 1e-9)
})

test("a row of a phone model speaks on the side it names", () => {
  const factors = PHONE_REASON_CODES.map((_, at) => ({
    code: `ROW_${at}`,
    member: "countryMismatch",
    nats: 0.5,
    side: at % 2 === 0 ? "takeover" : "quality",
    text: "Away",
  }))
  const model = loadPhoneModel({ ...phone11, version: "9.0", factors })
  const number = { as_of: "2026-03-10", numberType: "mobile", region: "AU", countryMismatch: true }
  const { contributions } = explainPhone(number, model)
  assert.equal(contributions.length, 1 + factors.length)
  assert.deepEqual(contributions.at(-1)?.text, "Away")
})

test("a row that could not be weighed, told or told apart is refused by its place", () => {
  const refused: [object, string][] = [
    [{ ...free, code: "ID_ROLE" }, "/factors/0/code"],
    [{ ...free, member: "fre" }, "/factors/0/member"],
    [{ ...free, member: "toString" }, "/factors/0/member"],
    [{ ...free, nats: undefined, table: [[0, 1]] }, "/factors/0/nats"],
    [{ ...length, table: undefined, nats: 1 }, "/factors/0/table"],
    [{ ...free, text: "{value}" }, "/factors/0/text"],
    [{ ...length, table: [[2, 1], [1, 2]] }, "/factors/0/table/1/0"], // oxfmt-ignore
  ]
  for (const [row, path] of refused) {
    const document = JSON.parse(JSON.stringify(row)) as object
    assert.throws(() => withRows(document), { name: "ModelFault", path })
  }
  assert.throws(() => withRows(free, free), { name: "ModelFault", path: "/factors/1/code" })
})
