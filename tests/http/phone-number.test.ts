import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import type { PhoneRiskResult } from "@assay/core/contract"
import { type Service, startService } from "./service.ts"

let service: Service
before(async () => {
  service = await startService({ args: ["--workers", "1"] })
})
after(() => service.stop())

interface ProblemBody {
  readonly code: string
  readonly detail: string
}

async function score(phoneNumber: string, query = ""): Promise<PhoneRiskResult> {
  const answer = await service.request(`/api/v1/phone-risk${query}`, {
    json: { phone_number: phoneNumber },
  })
  assert.equal(answer.status, 200)
  return (await answer.json()) as PhoneRiskResult
}

test("a text that is no E.164 number is refused with the reason, and never quoted", async () => {
  const refused = {
    "": /is empty/,
    "61491570156": /plus sign/,
    "0491570156": /plus sign/,
    " +61491570156": /plus sign/,
    "+61 491 570 156": /other than the digits 0 to 9/,
    "+61-491-570-156": /other than the digits 0 to 9/,
    "+1800FLOWERS": /other than the digits 0 to 9/,
    "+٦١٤٩١٥٧٠١٥٦": /other than the digits 0 to 9/,
    "+61491570156\n": /other than the digits 0 to 9/,
    "+0491570156": /starts with 0/,
    "+49157": /fewer than 7/,
    "+4915701564915701": /more than 15/,
  }
  for (const [text, reason] of Object.entries(refused)) {
    const answer = await service.request("/api/v1/phone-risk", { json: { phone_number: text } })
    const problem = (await answer.json()) as ProblemBody
    assert.equal(answer.status, 422, JSON.stringify(text))
    assert.equal(problem.code, "not-a-phone-number")
    assert.match(problem.detail, reason, JSON.stringify(text))
    if (text !== "") assert.ok(!JSON.stringify(problem).includes(text.trim()))
  }
})

test("a well-formed number that no plan allows is scored, with its region where it has one", async () => {
  const mexican = await score("+5215512345678")
  assert.deepEqual([mexican.number_type, mexican.carrier_region], ["invalid", "MX"])
  const nobodys = await score("+9990012345678")
  assert.deepEqual([nobodys.number_type, nobodys.carrier_region], ["invalid", "ZZ"])
})

test("the region of an answer follows the number", async () => {
  const regions = { "+441534456789": "JE", "+77710009998": "KZ", "+80012345678": "ZZ" }
  for (const [number, region] of Object.entries(regions))
    assert.equal((await score(number)).carrier_region, region, number)
})

test("the explanation shows what the number itself says, and only on request", async () => {
  const facts = async (number: string) => (await score(number, "?explain=true")).explanation?.number
  assert.deepEqual(await facts("+4915112345678"), {
    valid: true,
    special: null,
    original_carrier: "T-Mobile",
  })
  assert.deepEqual(await facts("+61491570156"), {
    valid: true,
    special: "fictional",
    original_carrier: "Telstra",
  })
  assert.deepEqual(await facts("+15005550006"), {
    valid: true,
    special: "test",
    original_carrier: null,
  })
  assert.deepEqual(await facts("+5215512345678"), {
    valid: false,
    special: null,
    original_carrier: null,
  })
  const plain = JSON.stringify(await score("+4915112345678"))
  assert.doesNotMatch(plain, /T-Mobile|original_carrier/)
})

test("numbers set aside for fiction are answered alike, also one that no plan has", async () => {
  const answers = await Promise.all(
    ["+46701740607", "+12025550123", "+61491570006", "+447700900123"].map((each) => score(each)),
  )
  for (const answer of answers) {
    const { risk_level, recommendation, ownership_confidence, network_continuity } = answer
    assert.deepEqual(
      [risk_level, recommendation, ownership_confidence, network_continuity],
      ["CRITICAL", "block", "low", "unstable"],
      answer.phone_number,
    )
    assert.ok(
      answer.risk_reasons.includes("Number is set aside for fiction, tests or documentation"),
    )
  }
  // The last of them is impossible besides, and says so.
  assert.deepEqual(
    answers.map(({ risk_score }) => risk_score),
    [82, 82, 82, 100],
  )
})
