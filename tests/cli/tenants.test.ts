import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import { DatabaseSync } from "node:sqlite"
import { temporaryDirectory } from "../http/temporary.ts"
import { assay, assayHere } from "./assay.ts"

const env = { ASSAY_DATA: join(temporaryDirectory(), "data") }

test("a tenant is made on a plan, listed, and shown with every setting at its default", async () => {
  const made = await assay(["tenants", "create", "acme", "--plan", "enterprise"], env)
  assert.deepEqual(made, {
    code: 0,
    out: "Tenant acme is new, on the enterprise plan.\n",
    err: "",
  })
  const small = await assay(["tenants", "create", "small"], env)
  assert.equal(small.out, "Tenant small is new, on the free plan.\n")

  const listed = await assay(["tenants", "list"], env)
  assert.match(listed.out, /^TENANT +PLAN +MADE +EMAIL MODEL +PHONE MODEL +OWN SETTINGS\n/)
  assert.match(
    listed.out,
    /\nacme +enterprise +\d{4}-\d\d-\d\d +1\.1 \(default\) +1\.1 \(default\) +none\n/,
  )
  const { out } = await assay(["tenants", "show", "acme"], env)
  assert.match(out, /^Tenant acme, number 1, made \d{4}-\d\d-\d\d, 0 keys\n\n/)
  assert.match(out, /\nprior_abuse +0\.01 \(default\) +a number above 0 and below 1\n/)
  assert.match(out, /\nproviders +false \(default\) +true or false\n/)
  assert.match(
    out,
    /\nprovider_daily_cap +as for every tenant \(default\) +a number from 0 up, in the unit of the prices\n/,
  )
  assert.equal(out.match(/\(default\)/g)?.length, 14)
})

test("settings are changed together, printed as before and after, and reset one by one", async () => {
  const changed = await assay(
    [
      ...["tenants", "set", "acme", "plan=free", "verified=true", "prior_abuse=0.1"],
      ...["costs.loss=30", "costs.wrong_block=8", "confirmed_before_block=true"],
    ],
    env,
  )
  assert.equal(changed.code, 0, changed.err)
  assert.deepEqual(changed.out.split("\n"), [
    "plan: enterprise → free",
    "verified: false (default) → true",
    "prior_abuse: 0.01 (default) → 0.1",
    "costs.loss: 20 (default) → 30",
    "costs.wrong_block: 4.63 (default) → 8",
    "confirmed_before_block: false (default) → true",
    "",
  ])
  assert.match(changed.err, /within 5 seconds/)
  const again = await assayHere(["tenants", "set", "acme", "prior_abuse=0.1", "plan=free"], env)
  assert.equal(again.out, "Nothing changed.\n")

  const reset = await assayHere(["tenants", "set", "acme", "costs.loss=", "prior_abuse=0.2"], env)
  assert.equal(reset.out, "prior_abuse: 0.1 → 0.2\ncosts.loss: 30 → 20 (default)\n")
  const all = await assayHere(
    [
      ...["tenants", "set", "acme", "verified=", "prior_abuse=", "costs.wrong_block="],
      ...["confirmed_before_block=", "plan=enterprise"],
    ],
    env,
  )
  assert.equal(all.out.split("\n").length, 6)
  assert.match((await assayHere(["tenants", "list"], env)).out, /\nacme +enterprise .* none\n/)
})

test("a tenant's own domains are kept as they are registered, and what is none is refused", async () => {
  const set = (...args: string[]) => assayHere(["tenants", "set", "small", ...args], env)
  const named = await set("--domains", "Acme.com,mail.acme.de,BÜCHER.example")
  assert.equal(named.out, "domains: none (default) → acme.com,acme.de,xn--bcher-kva.example\n")
  const again = await set("domains=acme.com,acme.de,bücher.example")
  assert.equal(again.out, "Nothing changed.\n")
  for (const wrong of ["co.uk", "acme", "acme.com,,", "acme.com acme.de"]) {
    const { code, out, err } = await set("--domains", wrong)
    assert.deepEqual([code, out], [1, ""], wrong)
    assert.match(err, /^assay: domains takes up to 100 domains of the tenant's own/)
  }
  assert.equal((await set("--domains", "")).out.split("\n").length, 2)
  assert.match((await set()).err, /Name a setting, by KEY=VALUE/)
})

test("every change of settings is one entry of the audit trail, with all that is set", () => {
  const records = new DatabaseSync(join(env.ASSAY_DATA, "records.sqlite"), { readOnly: true })
  const entries = records
    .prepare(
      "SELECT subject, detail FROM audit WHERE action = 'tenant.set-settings' AND subject = 'tenant:1' ORDER BY id",
    )
    .all() as { subject: string; detail: string }[]
  records.close()
  assert.deepEqual(
    entries.map(({ subject, detail }) => [
      subject,
      (JSON.parse(detail) as { settings: object }).settings,
    ]),
    [
      [
        "tenant:1",
        {
          verified: true,
          prior_abuse: 0.1,
          costs: { loss: 30, wrong_block: 8 },
          confirmed_before_block: true,
        },
      ],
      [
        "tenant:1",
        {
          verified: true,
          prior_abuse: 0.2,
          costs: { wrong_block: 8 },
          confirmed_before_block: true,
        },
      ],
      ["tenant:1", {}],
    ],
  )
})

test("a value that does not fit is refused with its key and what it takes, and nothing changes", async () => {
  const before = (await assayHere(["tenants", "show", "acme"], env)).out
  const cases: [string[], RegExp][] = [
    [["verified=true", "prior_abuse=1"], /^assay: prior_abuse takes a number above 0 and below 1$/],
    [["model.email=7.7"], /^assay: model\.email takes a version that is loaded: 1\.0, 1\.1$/],
    [["prior_abuse=0.1", "prior_abuse=0.2"], /prior_abuse is named twice/],
  ]
  for (const [settings, message] of cases) {
    const { code, out, err } = await assayHere(["tenants", "set", "acme", ...settings], env)
    assert.equal(code, 1, settings.join(" "))
    assert.equal(out, "")
    assert.match(err.trimEnd(), message)
    assert.equal(err.trimEnd().split("\n").length, 1, err)
  }
  assert.equal((await assayHere(["tenants", "show", "acme"], env)).out, before)
  for (const [args, message] of [
    [["set", "nobody", "verified=true"], /There is no tenant nobody/],
    [["create", "acme"], /A tenant has this name/],
    [["create", "a\u0007b"], /The name takes 1 to 100 printable characters/],
  ] as const) {
    const { code, err } = await assay(["tenants", ...args], env)
    assert.equal(code, 1)
    assert.match(err, message)
    assert.equal(err.trimEnd().split("\n").length, 1, err)
  }
  assert.equal((await assay(["tenants", "set", "acme"], env)).code, 2)
})

test("settings that cannot be read are named, listed as such and repaired by a reset", async () => {
  const records = new DatabaseSync(join(env.ASSAY_DATA, "records.sqlite"))
  records.exec(`UPDATE tenants SET settings = '{"prior_abuse":7}' WHERE name = 'small'`)
  records.close()
  assert.match((await assayHere(["tenants", "list"], env)).out, /\nsmall +free .* cannot be read\n/)
  const shown = await assay(["tenants", "show", "small"], env)
  assert.equal(shown.code, 1)
  assert.match(shown.err, /cannot be read by this program, at \/prior_abuse: must be < 1/)
  const other = await assay(["tenants", "set", "small", "verified=true"], env)
  assert.equal(other.code, 1)
  const repaired = await assayHere(["tenants", "set", "small", "prior_abuse="], env)
  assert.equal(repaired.out, "prior_abuse: 7 → 0.01 (default)\n")
  assert.equal((await assayHere(["tenants", "show", "small"], env)).code, 0)
})

test("a switch that the plan overrules is set and shown as overruled", async () => {
  const without = await assayHere(["tenants", "set", "small", "providers=true"], env)
  assert.equal(without.out, "providers: false (default) → true\n")
  assert.match(without.err, /The free plan keeps its phone numbers here, whatever providers says/)
  const args = ["plan=enterprise", "provider_daily_cap=2.5"]
  const allowed = await assayHere(["tenants", "set", "small", ...args], env)
  assert.equal(
    allowed.out,
    "plan: free → enterprise\nprovider_daily_cap: as for every tenant (default) → 2.5\n",
  )
  assert.doesNotMatch(allowed.err, /keeps/)
})
