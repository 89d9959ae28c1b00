import assert from "node:assert/strict"
import { after, test } from "node:test"
import { Registry } from "prom-client"
import { openMetrics } from "../../health/metrics.ts"
import { type DomainNetwork, type NetworkTrust, networkTrustOff } from "../network-trust.ts"
import { type NetworkTrustOptions, openNetworkTrust } from "./open-network-trust.ts"
import { openTestNameServer } from "./test-name-server.ts"
import { failing, openTestRegistry, registeredOn, silent } from "./test-registry.ts"

const TODAY = Date.UTC(2026, 10, 15, 12)
/** Longer than any test runs: whoever waits for it waits for an answer and never for the time. */
const PATIENT_MS = 600_000

const opened: NetworkTrust[] = []
after(() => {
  for (const network of opened) network.close()
})

function open(config: Partial<NetworkTrustOptions["config"]>): {
  network: NetworkTrust
  metrics: () => Promise<string>
} {
  const registry = new Registry()
  const network = openNetworkTrust({
    config: {
      dns: null,
      rdapUrl: null,
      rdapRedirects: false,
      networkBudgetMs: PATIENT_MS,
      ...config,
    },
    metrics: openMetrics(registry, () => registry.metrics()),
  })
  opened.push(network)
  return { network, metrics: () => registry.metrics() }
}

const names = await openTestNameServer({
  "company.example": { MX: [[10, "mx.company.example"]], TXT: ["v=spf1 -all"] },
  "_dmarc.company.example": { TXT: ["v=DMARC1; p=reject"] },
  "broken.example": "servfail",
  "_dmarc.broken.example": "servfail",
  "co.uk": { MX: [[0, "."]] },
})
const registry = await openTestRegistry({
  "company.example": registeredOn("2026-11-14T23:59:59Z"),
  "future.example": registeredOn("2027-01-01"),
  "broken.example": failing(500),
  "silent.example": silent,
})

test("with both configured, all is asked, and the next request is answered at once", async () => {
  const { network } = open({ dns: [names.address], rdapUrl: registry.url })
  const first = network.look("company.example", TODAY)
  assert.ok(first instanceof Promise)
  const expected: DomainNetwork = {
    mx: true,
    domainAge: 1,
    coverage: 0.4,
    told: {
      mx: { status: "answered", accepts_mail: true, records: 1, null_mx: false },
      mail_policy: { status: "answered", spf: "fail", dmarc: "reject" },
      registration: { status: "answered", date: "2026-11-14" },
    },
  }
  assert.deepEqual(await first, expected)
  assert.deepEqual(network.look("company.example", TODAY), expected)
})

test("an age is whole days between UTC dates, at least 0, and grows while the answer is remembered", async () => {
  const { network } = open({ rdapUrl: registry.url })
  assert.equal((await network.look("company.example", TODAY)).domainAge, 1)
  assert.equal((await network.look("company.example", Date.UTC(2026, 10, 15))).domainAge, 1)
  assert.equal((await network.look("company.example", Date.UTC(2026, 10, 16))).domainAge, 2)
  assert.equal((await network.look("future.example", TODAY)).domainAge, 0)
})

test("what is not configured is off and counts for nothing; what is, counts alone", async () => {
  const { network: dnsOnly } = open({ dns: [names.address] })
  const { mx, domainAge, coverage, told } = await dnsOnly.look("company.example", TODAY)
  assert.deepEqual([mx, domainAge, coverage], [true, null, 0.2])
  assert.deepEqual(told["registration"], { status: "off" })
  const { network: rdapOnly } = open({ rdapUrl: registry.url })
  const registered = await rdapOnly.look("company.example", TODAY)
  assert.deepEqual([registered.mx, registered.coverage], [null, 0.2])
  assert.deepEqual(registered.told["mx"], { status: "off" })
  assert.deepEqual(registered.told["mail_policy"], { status: "off" })
  assert.equal(open({}).network, networkTrustOff)
})

test("a failure is unknown: neither true nor false, without coverage, and told", async () => {
  const { network } = open({ dns: [names.address], rdapUrl: registry.url })
  assert.deepEqual(await network.look("broken.example", TODAY), {
    mx: null,
    domainAge: null,
    coverage: 0,
    told: {
      mx: { status: "failed" },
      mail_policy: { status: "failed" },
      registration: { status: "failed" },
    },
  })
})

test("a domain the registry does not know is answered, without an age", async () => {
  const { network } = open({ rdapUrl: registry.url })
  const { domainAge, coverage, told } = await network.look("unknown.example", TODAY)
  assert.deepEqual([domainAge, coverage], [null, 0.2])
  assert.deepEqual(told["registration"], { status: "answered", date: null })
})

test("a public suffix is asked for at no registry, and that is no answer", async () => {
  const { network } = open({ dns: [names.address], rdapUrl: registry.url })
  const before = registry.asked.length
  const { mx, coverage, told } = await network.look("co.uk", TODAY)
  assert.deepEqual([mx, coverage], [false, 0.2])
  assert.deepEqual(told["registration"], { status: "unasked" })
  assert.equal(registry.asked.length, before)
})

test("names below one registration share its answer", async () => {
  const { network } = open({ rdapUrl: registry.url })
  const before = registry.asked.length
  await network.look("company.example", TODAY)
  assert.equal((await network.look("mail.company.example", TODAY)).domainAge, 1)
  assert.equal(registry.asked.length - before, 1)
})

test("what does not answer within the budget is late; it goes on and is there for the next request", async () => {
  const held = await openTestNameServer({
    "slow.example": { MX: "held", TXT: ["v=spf1 -all"] },
  })
  const { network, metrics } = open({ dns: [held.address], networkBudgetMs: 50 })
  const { mx, coverage, told } = await network.look("slow.example", TODAY)
  assert.deepEqual([mx, coverage], [null, 0])
  assert.deepEqual(told["mx"], { status: "late" })
  assert.match(await metrics(), /assay_network_lookups_total\{probe="mx",outcome="late"\} 1/)
  held.release()
  // The held reply has no record of mail servers, so the name itself is asked for its address, and has none.
  const deadline = performance.now() + 60_000
  let next = await network.look("slow.example", TODAY)
  while (next.mx === null && performance.now() < deadline)
    next = await network.look("slow.example", TODAY)
  assert.equal(next.mx, false)
})

test("one that is late keeps none of the others", async () => {
  const { network } = open({
    dns: [names.address],
    rdapUrl: registry.url,
    networkBudgetMs: 1000,
  })
  await network.look("silent.example", TODAY)
  const { told, coverage } = await network.look("silent.example", TODAY)
  assert.deepEqual(told["registration"], { status: "late" })
  assert.deepEqual(told["mx"], {
    status: "answered",
    accepts_mail: false,
    records: 0,
    null_mx: false,
  })
  assert.equal(coverage, 0.2)
})

test("a provider that is gone is not asked for long, and the metrics say so", async () => {
  const gone = await openTestRegistry({})
  gone.close()
  const { network, metrics } = open({ rdapUrl: gone.url })
  assert.match(await metrics(), /assay_network_breaker_open\{probe="registration"\} 0/)
  for (let n = 0; n < 5; n++) assert.equal((await network.look(`n${n}.example`, TODAY)).coverage, 0)
  const next = network.look("n5.example", TODAY)
  assert.ok(!(next instanceof Promise))
  assert.deepEqual(next.told["registration"], { status: "failed" })
  const text = await metrics()
  assert.match(text, /assay_network_breaker_open\{probe="registration"\} 1/)
  assert.match(text, /assay_network_lookups_total\{probe="registration",outcome="failed"\} 6/)
  assert.doesNotMatch(text, /probe="mx"/)
})

test("closing ends what is under way: nobody is left waiting, and nobody is asked any more", async () => {
  const held = await openTestNameServer({ "held.example": "held", "_dmarc.held.example": "held" })
  const { network } = open({ dns: [held.address], rdapUrl: registry.url })
  const looking = network.look("held.example", TODAY)
  network.close()
  const { told } = await looking
  assert.deepEqual(told["mx"], { status: "failed" })
  const before = registry.asked.length
  assert.equal((await network.look("company.example", TODAY)).coverage, 0)
  assert.equal(registry.asked.length, before)
})
