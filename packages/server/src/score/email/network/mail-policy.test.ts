import assert from "node:assert/strict"
import { after, suite, test } from "node:test"
import { LookupFailure } from "./lookup-failure.ts"
import { dmarcPosture, mailPolicy, spfPosture } from "./mail-policy.ts"
import { openNameService } from "./name-service.ts"
import { openTestNameServer } from "../../../../testing/score/email/network/test-name-server.ts"

test("an SPF record is read by what it says of senders it does not name", () => {
  const cases: [string[], string][] = [
    [[], "none"],
    [["some-verification=1"], "none"],
    [["v=spf10 -all"], "none"],
    [["v=spf1 -all"], "fail"],
    [["V=SPF1 include:_spf.mail.example ~ALL"], "softfail"],
    [["v=spf1 ?all"], "neutral"],
    [["v=spf1 +all"], "pass"],
    [["v=spf1 all"], "pass"],
    [["v=spf1 mx"], "neutral"],
    [["v=spf1"], "neutral"],
    [["v=spf1 redirect=_spf.mail.example"], "redirect"],
    [["v=spf1 redirect=_spf.mail.example -all"], "fail"],
    [["v=spf1 include:all.example"], "neutral"],
    [["v=spf1 -all", "v=spf1 ~all"], "broken"],
    [["v=spf1 -all", "another text"], "fail"],
  ]
  for (const [texts, expected] of cases) assert.equal(spfPosture(texts), expected, texts.join())
})

test("a DMARC record is read by the policy it asks for", () => {
  const cases: [string[], "p" | "sp", string][] = [
    [[], "p", "absent"],
    [["v=spf1 -all"], "p", "absent"],
    [["v=dmarc1; p=reject"], "p", "absent"],
    [["v=DMARC1; p=none"], "p", "none"],
    [["v=DMARC1;p=Quarantine;pct=50"], "p", "quarantine"],
    [["v=DMARC1 ; p = reject ; rua=mailto:a@b.example"], "p", "reject"],
    [["v=DMARC1; p=reject; sp=none"], "p", "reject"],
    [["v=DMARC1; p=reject; sp=none"], "sp", "none"],
    [["v=DMARC1; p=reject"], "sp", "reject"],
    [["v=DMARC1; p=destroy"], "p", "broken"],
    [["v=DMARC1"], "p", "broken"],
    [["v=DMARC1; p=none", "v=DMARC1; p=reject"], "p", "broken"],
  ]
  for (const [texts, tag, expected] of cases)
    assert.equal(dmarcPosture(texts, tag), expected, `${texts.join()} ${tag}`)
})

suite("mail policy of a domain, by a real name server", async () => {
  const server = await openTestNameServer({
    "company.example": { TXT: ["verification=1", ["v=spf1 include:_spf.", "mail.example -all"]] },
    "_dmarc.company.example": { TXT: ["v=DMARC1; p=reject; sp=quarantine"] },
    "mail.company.example": { MX: [[10, "mx.company.example"]] },
    "own.company.example": { TXT: ["v=spf1 ~all"] },
    "_dmarc.own.company.example": { TXT: ["v=DMARC1; p=none"] },
    "no-policy-service.example": { TXT: ["v=spf1 -all"] },
    "_dmarc.no-policy-service.example": "servfail",
    "broken.example": "servfail",
    "customer.github.io": { TXT: [] },
    "_dmarc.github.io": { TXT: ["v=DMARC1; p=reject"] },
  })
  const names = openNameService([server.address])
  after(() => names.close())

  test("the strings of a record are one text", async () => {
    assert.deepEqual(await mailPolicy(names, "company.example"), {
      status: "answered",
      spf: "fail",
      dmarc: "reject",
    })
  })

  test("a name without a policy has the one its registered domain has for names below it", async () => {
    const { dmarc } = await mailPolicy(names, "mail.company.example")
    assert.equal(dmarc, "quarantine")
    assert.equal((await mailPolicy(names, "own.company.example")).dmarc, "none")
  })

  test("a customer of a host of many does not have the host's policy", async () => {
    assert.equal((await mailPolicy(names, "customer.github.io")).dmarc, "absent")
  })

  test("a domain that does not exist has none", async () => {
    assert.deepEqual(await mailPolicy(names, "nowhere.example"), {
      status: "answered",
      spf: "none",
      dmarc: "absent",
    })
  })

  for (const domain of ["broken.example", "no-policy-service.example"]) {
    test(`a policy that could not be looked up in full is a failure, never "none": ${domain}`, async () => {
      await assert.rejects(mailPolicy(names, domain), LookupFailure)
    })
  }
})
