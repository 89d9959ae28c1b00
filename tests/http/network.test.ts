import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, suite, test } from "node:test"
import { type EmailInput, emailModels, explainEmail } from "@assay/core/score"
import { openTestNameServer } from "../../packages/server/testing/score/email/network/test-name-server.ts"
import {
  failing,
  openTestRegistry,
  registeredOn,
  silent,
} from "../../packages/server/testing/score/email/network/test-registry.ts"
import { assay } from "../cli/assay.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const DAY_MS = 86_400_000
const young = new Date(Date.now() - 5 * DAY_MS).toISOString()

/** A local part the tests look for wherever it must not be. */
const LOCAL = "john.smith"

interface Explained {
  readonly risk_score: number
  readonly threat_stage: string
  readonly risk_reasons: readonly string[]
  readonly explanation: {
    readonly input: EmailInput
    readonly p_abuse: number
    readonly confidence_value: number
    readonly coverage: { readonly trust: number }
    readonly network: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    readonly decision_id: string | null
  }
}

/** Without the decision's id, the one thing that two services must not share. */
async function explained(service: Service, domain: string): Promise<Explained> {
  const json = { email: `${LOCAL}@${domain}` }
  const response = await service.request("/api/v1/risk/score?explain=true", { json })
  assert.equal(response.status, 200)
  const answer = (await response.json()) as Explained
  return { ...answer, explanation: { ...answer.explanation, decision_id: null } }
}

const providers = async () => ({
  names: await openTestNameServer({
    "young.example": { MX: [[10, "mx.young.example"]] },
    "no-mail.example": { MX: [[0, "."]], TXT: ["v=spf1 -all"] },
    "company.example": { MX: [[10, "mx.company.example"]], TXT: ["v=spf1 mx -all"] },
    "_dmarc.company.example": { TXT: ["v=DMARC1; p=quarantine"] },
    "xn--bcher-kva.example": { MX: [[10, "mx.example"]] },
    "broken.example": "servfail",
    "_dmarc.broken.example": "servfail",
    "silent.example": "silent",
    "_dmarc.silent.example": "silent",
    "mail.example": "silent",
  }),
  registry: await openTestRegistry({
    "young.example": registeredOn(young),
    "company.example": registeredOn("2001-02-03T04:05:06Z"),
    "broken.example": failing(500),
    "silent.example": silent,
  }),
})

/** Without any of the settings. */
let plain: Service
before(async () => {
  plain = await startService()
})
after(() => plain.stop())

suite("mail servers that serve disposable hosts", async () => {
  const listed = ["mailinator.com", "yopmail.com", "guerrillamail.com", "temp-mail.org"]
  const farm = { MX: [[5, "mx.farm.example"]] } as const
  const names = await openTestNameServer({
    ...Object.fromEntries(listed.map((host) => [host, farm])),
    "10minutemail.de": farm,
    "fresh.example": farm,
    "later.example": farm,
    "allowed.example": farm,
    "tulane.edu": { MX: [[5, "mx.campus.example"]] },
    "honest.example": { MX: [[5, "mx.campus.example"]] },
    "mx.farm.example": { A: ["203.0.113.7"] },
    "mx.campus.example": { A: ["203.0.113.8"] },
  })
  const service = await startService({
    args: ["--workers", "2"],
    env: { ASSAY_DNS: names.address, ASSAY_NETWORK_BUDGET_MS: "10000" },
  })
  after(() => service.stop())
  const env = { ASSAY_DATA: service.dataDirectory, ASSAY_DNS: names.address }
  const likely = async (domain: string): Promise<boolean> =>
    (await explained(service, domain)).explanation.input.trust?.disposableLikely === true
  /**
   * Workers and primary notify each other: the answer is soon the same for all workers, and stays.
   */
  const becomes = async (domain: string, expected: boolean): Promise<void> => {
    const deadline = performance.now() + 300_000
    for (let same = 0; same < 6;) {
      same = (await likely(domain)) === expected ? same + 1 : 0
      assert.ok(performance.now() < deadline, `${domain} did not become ${expected}`)
    }
  }

  test("the next host of a server with five disposable ones is likely disposable, in every worker", async () => {
    for (const host of listed) await explained(service, host)
    assert.equal(await likely("fresh.example"), false)
    await explained(service, "10minutemail.de")
    await becomes("fresh.example", true)
    await becomes("later.example", true)
    const { explanation } = await explained(service, "fresh.example")
    assert.equal(explanation.network["mx"]?.["disposable_server"], "mx.farm.example")
    assert.equal(explanation.input.trust?.disposable, undefined)
    // A domain on a list is answered by the list.
    assert.equal(await likely("mailinator.com"), false)
  })

  test("a university's server marks nobody, and a person's own domain is not kept", async () => {
    await explained(service, "tulane.edu")
    assert.equal(await likely("honest.example"), false)
    const learnt = await assay(["lists", "learnt", "--all"], env)
    assert.match(learnt.out, /^mx\.farm\.example +5 +\d{4}-\d\d-\d\d +likely disposable +\d{4}-/m)
    assert.match(learnt.out, /^203\.0\.113\.7 +5 /m)
    assert.doesNotMatch(learnt.out, /campus|fresh|honest/)
  })

  test("a server that is overruled marks nobody from then on, and may again when it is reinstated", async () => {
    for (const server of ["mx.farm.example", "203.0.113.7"]) {
      const overruled = await assay(["lists", "learnt", "--overrule", server], env)
      assert.equal(overruled.out, `${server} marks no host, whatever it serves.\n`)
    }
    await becomes("fresh.example", false)
    assert.match((await assay(["lists", "learnt"], env)).out, /mx\.farm\.example .+ overruled/)
    await assay(["lists", "learnt", "--reinstate", "203.0.113.7"], env)
    await becomes("fresh.example", true)
  })

  test("a host that an operator allows is not marked by its server", async () => {
    const file = join(temporaryDirectory(), "ours.txt")
    writeFileSync(file, "allowed.example\n")
    await becomes("allowed.example", true)
    const made = await assay(["lists", "import", file, "--category", "allow"], env)
    assert.equal(made.code, 0, made.err)
    await becomes("allowed.example", false)
  })
})

suite("look-ups over the network, switched on", async () => {
  const { names, registry } = await providers()
  // So long that no answer depends on how busy the machine is.
  const service = await startService({
    env: {
      ASSAY_DNS: names.address,
      ASSAY_RDAP_URL: registry.url,
      ASSAY_NETWORK_BUDGET_MS: "10000",
      ASSAY_LOG_LEVEL: "debug",
    },
  })

  test("a domain registered days ago raises the score and is a reason", async () => {
    const [on, without] = [
      await explained(service, "young.example"),
      await explained(plain, "young.example"),
    ]
    const { input, network } = on.explanation
    const days = (Date.parse(input.as_of) - Date.parse(young.slice(0, 10))) / DAY_MS
    assert.equal(input.trust?.domainAge, days)
    assert.equal(input.trust.mx, true)
    assert.deepEqual(network["registration"], { status: "answered", date: young.slice(0, 10) })
    assert.ok(on.risk_score > without.risk_score)
    assert.match(on.risk_reasons.join("\n"), /domain/i)
    assert.equal(on.explanation.coverage.trust, 0.8)
  })

  test("a domain that takes no mail raises the score and is a reason", async () => {
    const [on, without] = [
      await explained(service, "no-mail.example"),
      await explained(plain, "no-mail.example"),
    ]
    assert.equal(on.explanation.input.trust?.mx, false)
    assert.deepEqual(on.explanation.network["mx"], {
      status: "answered",
      accepts_mail: false,
      records: 0,
      null_mx: true,
    })
    assert.ok(on.risk_score > without.risk_score)
    assert.notDeepEqual(on.risk_reasons, without.risk_reasons)
  })

  test("an old domain with mail servers lowers the risk of abuse, and more so where it is no free provider's", async () => {
    const [on, without] = [
      await explained(service, "company.example"),
      await explained(plain, "company.example"),
    ]
    assert.ok(on.explanation.p_abuse < without.explanation.p_abuse)
    assert.deepEqual(on.explanation.network["mail_policy"], {
      status: "answered",
      spf: "fail",
      dmarc: "quarantine",
    })
    const { input } = on.explanation
    const { mitigations } = explainEmail(
      { ...input, trust: { ...input.trust, free: false } },
      emailModels["1.1"],
    )
    assert.ok(mitigations.terms.some(({ term }) => term === "corporate"))
  })

  test("a domain is asked for in ASCII form, whichever way it is written", async () => {
    for (const spelling of ["bücher.example", "xn--bcher-kva.example"])
      assert.equal((await explained(service, spelling)).explanation.input.trust?.mx, true)
    const spelled = names.asked.filter(({ name }) => name.includes("cher"))
    assert.deepEqual(
      new Set(spelled.map(({ name }) => name)),
      new Set(["xn--bcher-kva.example", "_dmarc.xn--bcher-kva.example"]),
    )
    assert.ok(registry.asked.some(({ path }) => path === "/domain/xn--bcher-kva.example"))
  })

  test("providers that fail give the score of an unchecked domain, with less confidence than an answer, and are named", async () => {
    const [failed, answered, without] = [
      await explained(service, "broken.example"),
      await explained(service, "company.example"),
      await explained(plain, "broken.example"),
    ]
    assert.equal(failed.risk_score, without.risk_score)
    assert.deepEqual(failed.risk_reasons, without.risk_reasons)
    assert.deepEqual(failed.explanation.input, without.explanation.input)
    assert.ok(failed.explanation.confidence_value < answered.explanation.confidence_value)
    assert.deepEqual(failed.explanation.network, {
      mx: { status: "failed" },
      mail_policy: { status: "failed" },
      registration: { status: "failed" },
    })
  })

  test("metrics count outcomes by look-up", async () => {
    const text = await (await service.request("/metrics")).text()
    assert.match(text, /^assay_network_lookups_total\{probe="mx",outcome="answered"\} [1-9]/m)
    assert.match(
      text,
      /^assay_network_lookups_total\{probe="registration",outcome="failed"\} [1-9]/m,
    )
    assert.match(text, /^assay_network_breaker_open\{probe="mail_policy"\} 0$/m)
    assert.doesNotMatch(text, /example/)
  })

  test("providers learn the domain and nothing of the local part; the log learns neither", async () => {
    const heard = JSON.stringify([names.asked, registry.asked])
    assert.match(heard, /company\.example/)
    assert.doesNotMatch(heard, /john|smith/i)
    assert.doesNotMatch(service.stderr(), /example|john/)
  })

  test("the service stops as ever", async () => {
    assert.equal(await service.stop(), 0)
  })
})

test("providers that hang make an answer less sure, not slow: it is 200 and says that they were late", async () => {
  const { names, registry } = await providers()
  const env = {
    ASSAY_DNS: names.address,
    ASSAY_RDAP_URL: registry.url,
    ASSAY_NETWORK_BUDGET_MS: "50",
  }
  await using service = await startService({ env })
  const { explanation, threat_stage } = await explained(service, "silent.example")
  assert.equal(threat_stage, "CLEAN")
  assert.equal(explanation.coverage.trust, 0.4)
  assert.equal(explanation.input.trust?.mx, undefined)
  assert.deepEqual(explanation.network, {
    mx: { status: "late" },
    mail_policy: { status: "late" },
    registration: { status: "late" },
  })
  const json = { email: "sofia.rossi@mail.example" }
  const exposed = await service.request("/api/v1/risk/score", { json })
  assert.equal(((await exposed.json()) as Explained).threat_stage, "ATTACKED")
})

test("switched off, nobody is asked, and a service without the settings gives the same answer", async () => {
  const { names, registry } = await providers()
  const env = { ASSAY_DNS: "", ASSAY_RDAP_URL: "" }
  await using service = await startService({ env })
  const answer = await explained(service, "young.example")
  assert.deepEqual(answer, await explained(plain, "young.example"))
  assert.deepEqual(answer.explanation.network, {
    mx: { status: "off" },
    mail_policy: { status: "off" },
    registration: { status: "off" },
  })
  const text = await (await service.request("/metrics")).text()
  assert.doesNotMatch(text, /^assay_network_\w+\{/m)
  assert.deepEqual([names.asked.length, registry.asked.length], [0, 0])
})
