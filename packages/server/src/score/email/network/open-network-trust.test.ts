import assert from "node:assert/strict"
import { after, test } from "node:test"
import { Registry } from "prom-client"
import { openMetrics } from "../../../base/metrics.ts"
import { type DomainNetwork, type NetworkTrust, networkTrustOff } from "../../network-trust.ts"
import { type NetworkTrustOptions, openNetworkTrust } from "./open-network-trust.ts"
import { openTestNameServer } from "../../../../testing/score/email/network/test-name-server.ts"
import {
  failing,
  openTestRegistry,
  registeredOn,
  silent,
} from "../../../../testing/score/email/network/test-registry.ts"

const TODAY = Date.UTC(2026, 10, 15, 12)
/** Longer than any test runs, so that a test waits for an answer and never for the time. */
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
    disposableServer: null,
    coverage: 0.4,
    explained: {
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
  const { mx, domainAge, coverage, explained } = await dnsOnly.look("company.example", TODAY)
  assert.deepEqual([mx, domainAge, coverage], [true, null, 0.2])
  assert.deepEqual(explained["registration"], { status: "off" })
  const { network: rdapOnly } = open({ rdapUrl: registry.url })
  const registered = await rdapOnly.look("company.example", TODAY)
  assert.deepEqual([registered.mx, registered.coverage], [null, 0.2])
  assert.deepEqual(registered.explained["mx"], { status: "off" })
  assert.deepEqual(registered.explained["mail_policy"], { status: "off" })
  assert.equal(open({}).network, networkTrustOff)
})

test("a failure is unknown: neither true nor false, without coverage, and explained", async () => {
  const { network } = open({ dns: [names.address], rdapUrl: registry.url })
  assert.deepEqual(await network.look("broken.example", TODAY), {
    mx: null,
    domainAge: null,
    disposableServer: null,
    coverage: 0,
    explained: {
      mx: { status: "failed" },
      mail_policy: { status: "failed" },
      registration: { status: "failed" },
    },
  })
})

test("a domain the registry does not know is answered, without an age", async () => {
  const { network } = open({ rdapUrl: registry.url })
  const { domainAge, coverage, explained } = await network.look("unknown.example", TODAY)
  assert.deepEqual([domainAge, coverage], [null, 0.2])
  assert.deepEqual(explained["registration"], { status: "answered", date: null })
})

test("a public suffix is asked for at no registry, and that is no answer", async () => {
  const { network } = open({ dns: [names.address], rdapUrl: registry.url })
  const before = registry.asked.length
  const { mx, coverage, explained } = await network.look("co.uk", TODAY)
  assert.deepEqual([mx, coverage], [false, 0.2])
  assert.deepEqual(explained["registration"], { status: "unasked" })
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
  const { mx, coverage, explained } = await network.look("slow.example", TODAY)
  assert.deepEqual([mx, coverage], [null, 0])
  assert.deepEqual(explained["mx"], { status: "late" })
  assert.match(await metrics(), /assay_network_lookups_total\{probe="mx",outcome="late"\} 1/)
  held.release()
  // The held reply has no record of mail servers, so the name itself is asked for its address, and
  // has none.
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
  const { explained, coverage } = await network.look("silent.example", TODAY)
  assert.deepEqual(explained["registration"], { status: "late" })
  assert.deepEqual(explained["mx"], {
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
  assert.deepEqual(next.explained["registration"], { status: "failed" })
  const text = await metrics()
  assert.match(text, /assay_network_breaker_open\{probe="registration"\} 1/)
  assert.match(text, /assay_network_lookups_total\{probe="registration",outcome="failed"\} 6/)
  assert.doesNotMatch(text, /probe="mx"/)
})

/** What a worker would learn, and a network that knows these servers as marking. */
async function openLearning(
  scripted: Parameters<typeof openTestNameServer>[0],
  marking: readonly string[],
): Promise<{
  network: NetworkTrust
  noticed: Map<string, readonly string[]>
  asked: () => string[]
}> {
  const server = await openTestNameServer(scripted)
  const noticed = new Map<string, readonly string[]>()
  const registry = new Registry()
  const network = openNetworkTrust({
    config: {
      dns: [server.address],
      rdapUrl: null,
      rdapRedirects: false,
      networkBudgetMs: PATIENT_MS,
    },
    metrics: openMetrics(registry, () => registry.metrics()),
    learning: {
      marking: { markOf: (_, servers) => servers.find((each) => marking.includes(each)) ?? null },
      noticed: (domain, servers) => void noticed.set(domain, servers),
    },
  })
  opened.push(network)
  return { network, noticed, asked: () => server.asked.map(({ name, type }) => `${type} ${name}`) }
}

test("a host is known by the names and the addresses of its preferred mail servers", async () => {
  const { network, noticed } = await openLearning(
    {
      "burner.example": { MX: [[5, "mx1.burner.example"]] },
      "mx1.burner.example": { A: ["203.0.113.7", "127.0.0.1"] },
      "other.example": { MX: [[5, "mail.other.example"]] },
      "mail.other.example": { A: ["203.0.113.7"] },
      "clean.example": { MX: [[5, "mail.clean.example"]] },
      "mail.clean.example": { A: ["203.0.113.8"] },
    },
    ["203.0.113.7"],
  )
  const other = await network.look("other.example", TODAY)
  assert.equal(other.disposableServer, "203.0.113.7")
  assert.deepEqual(other.explained["mx"], {
    status: "answered",
    accepts_mail: true,
    records: 1,
    null_mx: false,
    disposable_server: "203.0.113.7",
  })
  // Remembered: at once, and the same.
  assert.deepEqual(network.look("other.example", TODAY), other)
  assert.equal((await network.look("clean.example", TODAY)).disposableServer, null)
  await network.look("burner.example", TODAY)
  assert.deepEqual(noticed.get("burner.example"), ["mx1.burner.example", "203.0.113.7"])
})

test("servers of providers and of mail companies say nothing, and are asked nothing", async () => {
  const { network, noticed, asked } = await openLearning(
    {
      "workspace.example": { MX: [[1, "aspmx.l.google.com"]] },
      "routed.example": { MX: [[1, "route1.mx.cloudflare.net"]] },
      "mx.example": { A: ["203.0.113.9"] },
    },
    ["aspmx.l.google.com", "route1.mx.cloudflare.net"],
  )
  for (const domain of ["workspace.example", "routed.example"]) {
    const { mx, disposableServer } = await network.look(domain, TODAY)
    assert.deepEqual([mx, disposableServer], [true, null], domain)
    assert.deepEqual(noticed.get(domain), [], domain)
  }
  assert.deepEqual(
    asked().filter((question) => question.startsWith("A")),
    [],
  )
})

test("an address that cannot be found leaves the server's name to go by", async () => {
  const { network } = await openLearning(
    { "half.example": { MX: [[5, "mx.farm.example"]] }, "mx.farm.example": { A: "servfail" } },
    ["mx.farm.example"],
  )
  const { mx, disposableServer } = await network.look("half.example", TODAY)
  assert.deepEqual([mx, disposableServer], [true, "mx.farm.example"])
})

test("closing ends what is under way: nobody is left waiting, and nobody is asked any more", async () => {
  const held = await openTestNameServer({ "held.example": "held", "_dmarc.held.example": "held" })
  const { network } = open({ dns: [held.address], rdapUrl: registry.url })
  const looking = network.look("held.example", TODAY)
  network.close()
  const { explained } = await looking
  assert.deepEqual(explained["mx"], { status: "failed" })
  const before = registry.asked.length
  assert.equal((await network.look("company.example", TODAY)).coverage, 0)
  assert.equal(registry.asked.length, before)
})
