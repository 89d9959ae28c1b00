import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { openSqliteRecords } from "../../packages/stores/src/sqlite/records.ts"
import {
  openTrialCarrier,
  type TrialCarrier,
} from "../../packages/carrier/src/open-trial-carrier.ts"
import { makeTrialClient } from "../../packages/carrier/src/trial-client.ts"
import { startService } from "../http/service.ts"
import { temporaryDirectory } from "../http/temporary.ts"
import { assay, assayHere } from "./assay.ts"

const temporary = temporaryDirectory()
const data = join(temporary, "data")
const file = join(temporary, "providers.json")
const env = { ASSAY_DATA: data, ASSAY_PROVIDERS: file }
const CANARY = "canary-password"

/** Takes one password, as Twilio does for a request without a number. */
const asked: string[] = []
const vendor = createServer((request, response) => {
  asked.push(request.url ?? "")
  const right = `Basic ${Buffer.from(`canary-user:${CANARY}`).toString("base64")}`
  const status = request.headers.authorization === right ? 200 : 401
  response.writeHead(status, { "content-type": "application/json" }).end("{}")
})
let vendorUrl = ""
let carrier: TrialCarrier

before(async () => {
  const keys = await makeTrialClient("canary-client")
  carrier = await openTrialCarrier({ clients: [keys.client] })
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve))
  vendorUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/`
  writeFileSync(join(temporary, "north.pem"), keys.privateKeyPem)
  writeFileSync(join(temporary, "password"), `${CANARY}\n`)
  writeFileSync(file, JSON.stringify(settings()))
})
after(async () => {
  vendor.close()
  await carrier.close()
})

function settings(change: object = {}): object {
  const north = {
    name: "north",
    ranges: ["+61491570", "+6149158"],
    base_url: carrier.url,
    token_url: carrier.tokenUrl,
    client_id: "canary-client",
    private_key_file: "north.pem",
    apis: {
      sim_swap: { price: 0.01, answers: "date" },
      device_swap: { price: 0.005, answers: "check" },
      roaming: { price: 0 },
    },
    ...change,
  }
  const twilio = {
    base_url: vendorUrl,
    user: "canary-user",
    password_file: "password",
    fields: { line_type_intelligence: 0.008, sim_swap: 0.1 },
  }
  return { daily_cap: 50, tenant_daily_cap: 2.5, camara: [north], twilio }
}

function otherSettings(name: string, change: object): Record<string, string> {
  const other = join(temporary, name)
  writeFileSync(other, JSON.stringify(settings(change)))
  return { ...env, ASSAY_PROVIDERS: other }
}

test("list prints who is asked for what, and the most a call costs; it asks nobody and shows no secret", async () => {
  const { code, out, err } = await assay(["providers", "list"], env)
  assert.equal(code, 0, err)
  assert.deepEqual(out.trimEnd().split("\n").map(cells), [
    ["PROVIDER", "NUMBERS", "ASKED IN ONE CALL", "COST AT MOST"],
    ["camara:north", "+61491570 +6149158", "sim_change", "0.01"],
    // Two windows narrow a yes down, each at the price of a call.
    ["", "device_change", "0.015"],
    ["", "roaming", "0"],
    ["twilio", "every number", "line_type carrier sim_change", "0.108"],
    [""],
    ["At most 50 a day in all, and 2.5 for a tenant."],
  ])
  assert.doesNotMatch(out + err, /canary|PRIVATE KEY/)
  assert.deepEqual([carrier.requests().length, asked.length], [0, 0])
})

test("list --json is the same as a document", async () => {
  const { code, out } = await assay(["providers", "list", "--json"], env)
  assert.equal(code, 0)
  assert.deepEqual(JSON.parse(out), {
    daily_cap: 50,
    tenant_daily_cap: 2.5,
    providers: [
      {
        id: "camara:north",
        ranges: ["+61491570", "+6149158"],
        calls: [
          { signals: ["sim_change"], cost_max: 0.01 },
          { signals: ["device_change"], cost_max: 0.015 },
          { signals: ["roaming"], cost_max: 0 },
        ],
      },
      {
        id: "twilio",
        ranges: null,
        calls: [{ signals: ["line_type", "carrier", "sim_change"], cost_max: 0.108 }],
      },
    ],
  })
})

test("check speaks to each provider about nobody, and finds that they take our credentials", async () => {
  const { code, out, err } = await assay(["providers", "check"], env)
  assert.equal(code, 0, out + err)
  assert.deepEqual(out.trimEnd().split("\n").map(cells), [
    ["PROVIDER", "STATE", "FOUND"],
    ["camara:north", "ok", "takes our credentials"],
    ["twilio", "ok", "takes our credentials"],
  ])
  assert.ok(carrier.requests().every(({ path }) => path === "/token"))
  assert.ok(asked.every((path) => !/\d{5}/.test(path)))
})

test("check names the provider that refuses, without what it was shown, and fails", async () => {
  writeFileSync(join(temporary, "password"), "canary-wrong")
  const other = otherSettings("refused.json", { client_id: "canary-unknown" })
  const { code, out, err } = await assay(["providers", "check"], other)
  writeFileSync(join(temporary, "password"), CANARY)
  assert.equal(code, 1)
  assert.match(out, /^camara:north +fault +carrier north gave no token for sim_swap: /m)
  assert.match(out, /^twilio +fault +Twilio does not accept the user and the password$/m)
  assert.equal(err, "assay: 2 of 2 providers cannot be spoken to\n")
  assert.doesNotMatch(out + err, /canary/)
})

test("a key that is none is reported by its carrier's name, and not shown", async () => {
  const { code, err } = await assayHere(
    ["providers", "check"],
    otherSettings("no-key.json", { private_key_file: "password" }),
  )
  assert.equal(code, 1)
  assert.match(err, /^assay: ASSAY_PROVIDERS names settings that cannot be used: .*carrier north/)
  assert.doesNotMatch(err, /canary/)
  assert.equal(err.trimEnd().split("\n").length, 1)
})

test("without settings there is nobody to list or check", async () => {
  for (const verb of ["list", "check"]) {
    const { code, out, err } = await assayHere(["providers", verb], { ASSAY_DATA: data })
    assert.equal(code, 1)
    assert.equal(out, "")
    assert.equal(
      err,
      "assay: ASSAY_PROVIDERS is not set in this shell. Without it a service asks nobody about phone numbers; set it as your service has it\n",
    )
  }
})

test("settings that cannot be used stop a command with their place, and no value", async () => {
  const { code, err } = await assay(
    ["providers", "list"],
    otherSettings("wrong.json", { base_url: "http://canary.example/" }),
  )
  assert.equal(code, 1)
  assert.match(
    err,
    /ASSAY_PROVIDERS names settings that cannot be used: at \/camara\/0\/base_url: /,
  )
  assert.doesNotMatch(err, /canary/)
})

test("costs adds a month up by tenant and provider, while a service runs and without one", async () => {
  for (const name of ["acme", "small"])
    assert.equal((await assayHere(["tenants", "create", name], env)).code, 0)
  const records = await openSqliteRecords({ file: join(data, "records.sqlite") })
  const tenantId = async (name: string) => (await records.tenantByName(name))?.id ?? 0
  const [acme, small] = [await tenantId("acme"), await tenantId("small")]
  const spend = (id: number, provider: string, micros: number) => ({
    ...{ tenantId: id, provider, micros },
    tenantCapMicros: 1_000_000,
  })
  const cap = 1_000_000
  await records.spendProviderCost("2026-02-28", [spend(small, "twilio", 1)], cap)
  await records.spendProviderCost("2026-03-01", [spend(acme, "twilio", 108_000)], cap)
  await records.spendProviderCost(
    "2026-03-31",
    [spend(acme, "camara:north", 0), spend(acme, "twilio", 8_000), spend(small, "twilio", 1)],
    cap,
  )
  await records.close()

  const march = ["providers", "costs", "--month", "2026-03"]
  const wanted = [
    ["TENANT", "PROVIDER", "CALLS", "COST"],
    ["acme", "camara:north", "1", "0"],
    ["acme", "twilio", "2", "0.116"],
    ["small", "twilio", "1", "0.000001"],
  ]
  const alone = await assay(march, { ASSAY_DATA: data })
  assert.deepEqual(alone.out.trimEnd().split("\n").map(cells), wanted, alone.err)
  const service = await startService({ dataDirectory: data })
  const beside = await assayHere(march, { ASSAY_DATA: data })
  await service.stop()
  assert.deepEqual(beside.out.trimEnd().split("\n").map(cells), wanted, beside.err)

  const document = await assayHere([...march, "--json"], { ASSAY_DATA: data })
  assert.deepEqual(JSON.parse(document.out), {
    month: "2026-03",
    costs: [
      { tenant: "acme", provider: "camara:north", calls: 1, cost: 0 },
      { tenant: "acme", provider: "twilio", calls: 2, cost: 0.116 },
      { tenant: "small", provider: "twilio", calls: 1, cost: 0.000001 },
    ],
  })
  const empty = await assayHere(["providers", "costs", "--month", "2026-04"], { ASSAY_DATA: data })
  assert.equal(empty.out, "No provider was asked in 2026-04.\n")
  const wrong = await assay(["providers", "costs", "--month", "2026-13"], { ASSAY_DATA: data })
  assert.deepEqual(wrong, {
    code: 1,
    out: "",
    err: "assay: --month takes a month such as 2026-03\n",
  })
})

test("doctor says of the providers whether they take our credentials", async () => {
  const well = await assay(["doctor"], env)
  assert.equal(well.code, 0, well.out + well.err)
  assert.match(well.out, /^ok +providers +camara:north, twilio take our credentials$/m)
  const other = otherSettings("doctor.json", { client_id: "canary-unknown" })
  const ill = await assay(["doctor"], other)
  assert.equal(ill.code, 1)
  assert.match(ill.out, /^fault +providers +camara:north: carrier north gave no token for /m)
  assert.doesNotMatch(ill.out + ill.err, /canary/)
  const none = await assayHere(["doctor"], { ASSAY_DATA: data })
  assert.match(none.out, /^ok +providers +nobody is asked about phone numbers$/m)
})

/**
 * The cells of a line, without the padding between columns; empty ones at its beginning count as
 * one.
 */
function cells(line: string): string[] {
  return line.split(/ {2,}/)
}
