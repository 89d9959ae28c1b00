import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { after, test } from "node:test"
import { isExplained } from "@assay/runtime/explained"
import { readProviderSettings } from "./provider-settings.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-providers-"))
after(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, "keys"))
for (const name of ["north.pem", "password"]) writeFileSync(join(folder, "keys", name), "")
writeFileSync(join(folder, "keys", "token"), "a-token-of-the-north-01")

const north = {
  name: "north",
  ranges: ["+4915", "+49170"],
  base_url: "https://api.north.example/camara",
  token_url: "https://auth.north.example/token",
  client_id: "assay",
  private_key_file: "keys/north.pem",
  apis: { sim_swap: { price: 0.01, answers: "date" } },
}
const twilio = { user: "AC1", password_file: "keys/password", fields: { sim_swap: 0.02 } }
const caps = { daily_cap: 100, tenant_daily_cap: 10 }

let files = 0
function written(document: unknown): string {
  const file = join(folder, `${++files}.json`)
  writeFileSync(file, typeof document === "string" ? document : JSON.stringify(document))
  return file
}

function faultOf(document: unknown): string {
  try {
    readProviderSettings(written(document))
  } catch (error) {
    assert.ok(isExplained(error, "settings-file"), String(error))
    return error.message
  }
  return ""
}

test("settings are read with their paths taken from their own folder, wherever the service runs", () => {
  const document = {
    ...caps,
    camara: [{ ...north, notification_token_file: "keys/token" }],
    twilio,
  }
  const file = written(document)
  const settings = readProviderSettings(relative(process.cwd(), file))
  assert.deepEqual(settings, {
    ...caps,
    camara: [
      {
        ...north,
        base_url: "https://api.north.example/camara/",
        private_key_file: join(folder, "keys/north.pem"),
        notification_token_file: join(folder, "keys/token"),
      },
    ],
    twilio: { ...twilio, password_file: join(folder, "keys/password") },
  })
  const absolute = { ...north, private_key_file: join(folder, "keys/north.pem") }
  assert.equal(faultOf({ ...caps, camara: [absolute] }), "")
})

test("settings may name nobody: then only the caps are read", () => {
  assert.deepEqual(readProviderSettings(written(caps)), caps)
})

test("a carrier that is never asked may still send notifications", () => {
  const listening = { ...north, apis: {}, notification_token_file: "keys/token" }
  assert.equal(faultOf({ ...caps, camara: [listening] }), "")
})

test("a file that is missing or holds no JSON is refused as such", () => {
  assert.throws(() => readProviderSettings(join(folder, "canary.json")), {
    code: "settings-file",
    message: "the file cannot be read",
  })
  assert.equal(faultOf("{ canary"), "the file is not JSON")
})

const of = (changes: object) => ({ ...caps, camara: [{ ...north, ...changes }] })
const ofTwilio = (changes: object) => ({ ...caps, twilio: { ...twilio, ...changes } })
const simSwap = (changes: object) =>
  of({ apis: { sim_swap: { price: 0.01, answers: "date", ...changes } } })

const URL_RULE =
  "takes an https:// URL without user, query or fragment (http:// only on this machine)"
const RANGE_RULE = "takes + and 1 to 15 digits"
const PRICE_RULE = "takes a number from 0 to 1000"
const FILE_RULE = "names a file that cannot be read"

const FAULTS: readonly [place: string, document: unknown, rule: string][] = [
  ["the top", [], "takes an object"],
  ["the top", "7", "takes an object"],
  ["/daily_cap", { tenant_daily_cap: 1 }, "is missing"],
  ["/tenant_daily_cap", { daily_cap: 1 }, "is missing"],
  ["/daily_cap", { ...caps, daily_cap: "canary" }, "takes a number from 0 to 1000000000"],
  ["/tenant_daily_cap", { ...caps, tenant_daily_cap: -1 }, "takes a number from 0 to 1000000000"],
  ["/budget_ms", { ...caps, budget_ms: 2_001 }, "takes an integer from 1 to 2000"],
  ["/budget_ms", { ...caps, budget_ms: 1.5 }, "takes an integer from 1 to 2000"],
  ["/dialy_cap", { ...caps, dialy_cap: "canary" }, "is not a setting"],
  ["/camara", { ...caps, camara: [] }, "takes a list of 1 to 100, each an object"],
  ["/camara", { ...caps, camara: [north, north] }, "has two carriers of the same name"],
  ["/camara/0/name", of({ name: "Canary!" }), "takes 1 to 32 of a-z, 0-9 and hyphens"],
  ["/camara/0/name", of({ name: undefined }), "is missing"],
  [
    "/camara/0/ranges",
    of({ ranges: [] }),
    `takes a list of 1 or more, each ${RANGE_RULE.slice(6)}`,
  ],
  ["/camara/0/ranges/1", of({ ranges: ["+49", "0049canary"] }), RANGE_RULE],
  ["/camara/0/ranges/0", of({ ranges: ["+0"] }), RANGE_RULE],
  ["/camara/0/base_url", of({ base_url: "canary" }), URL_RULE],
  ["/camara/0/base_url", of({ base_url: "http://canary.example/" }), URL_RULE],
  ["/camara/0/base_url", of({ base_url: "https://canary:word@a.example/" }), URL_RULE],
  ["/camara/0/token_url", of({ token_url: "http://10.0.0.1/canary" }), URL_RULE],
  ["/camara/0/token_url", of({ token_url: "https://a.example/?canary" }), URL_RULE],
  ["/camara/0/client_id", of({ client_id: "" }), "takes a text of 1 to 256 characters"],
  ["/camara/0/private_key_file", of({ private_key_file: "canary" }), FILE_RULE],
  ["/camara/0/private_key_file", of({ private_key_file: "keys" }), FILE_RULE],
  ["/camara/0/notification_token_file", of({ notification_token_file: "canary" }), FILE_RULE],
  ["/camara/0/algorithm", of({ algorithm: "none" }), "takes ES256 or PS256 or RS256"],
  ["/camara/0/timeout_ms", of({ timeout_ms: 49 }), "takes an integer from 50 to 30000"],
  [
    "/camara/0/apis",
    of({ apis: {} }),
    "takes at least one member where there is no notification_token_file",
  ],
  ["/camara/0/apis/sim_swpa", of({ apis: { sim_swpa: {} } }), "is not a setting"],
  ["/camara/0/apis/roaming/price", of({ apis: { roaming: {} } }), "is missing"],
  ["/camara/0/apis/sim_swap/price", simSwap({ price: 1_001 }), PRICE_RULE],
  ["/camara/0/apis/sim_swap/answers", simSwap({ answers: "canary" }), "takes date or check"],
  [
    "/camara/0/apis/sim_swap/path",
    simSwap({ path: "canary" }),
    "takes a path such as /sim-swap/v2",
  ],
  ["/camara/0/apis/sim_swap/path", simSwap({ path: "/a?b" }), "takes a path such as /sim-swap/v2"],
  [
    "/camara/0/apis/sim_swap/max_age_hours",
    simSwap({ max_age_hours: 2_401 }),
    "takes an integer from 1 to 2400",
  ],
  ["/camara/0/password", of({ password: "canary" }), "is not a setting"],
  ["/twilio/user", ofTwilio({ user: undefined }), "is missing"],
  ["/twilio/password_file", ofTwilio({ password_file: "canary" }), FILE_RULE],
  ["/twilio/base_url", ofTwilio({ base_url: "http://canary.example/" }), URL_RULE],
  ["/twilio/ranges/0", ofTwilio({ ranges: ["canary"] }), RANGE_RULE],
  ["/twilio/fields", ofTwilio({ fields: {} }), "takes at least one member"],
  ["/twilio/fields/sim_swap", ofTwilio({ fields: { sim_swap: "canary" } }), PRICE_RULE],
  ["/twilio/fields/sim_swpa", ofTwilio({ fields: { sim_swpa: 1 } }), "is not a setting"],
]

for (const [place, document, rule] of FAULTS) {
  test(`settings of providers with a fault at ${place} are refused: it ${rule}`, () => {
    const fault = faultOf(document)
    assert.equal(fault, `at ${place}: ${rule}`)
    assert.doesNotMatch(fault, /canary/i)
  })
}

test("plain HTTP is for this machine alone", () => {
  for (const host of ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"]) {
    const local = { base_url: `http://${host}/`, token_url: `http://${host}/token` }
    assert.equal(faultOf(of(local)), "", host)
    assert.equal(faultOf(ofTwilio({ base_url: `http://${host}/` })), "", host)
  }
})
