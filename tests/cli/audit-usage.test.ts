import assert from "node:assert/strict"
import { join } from "node:path"
import { before, test } from "node:test"
import { mintedKey } from "../http/minted-key.ts"
import { openRecordsOf } from "../http/records-of.ts"
import { temporaryDirectory } from "../http/temporary.ts"
import { assay, assayHere } from "./assay.ts"

const env = { ASSAY_DATA: join(temporaryDirectory(), "data") }

before(async () => {
  // Any command makes the directory with its secret.
  assert.equal((await assayHere(["tenants", "list"], env)).code, 0)
  const records = await openRecordsOf(env.ASSAY_DATA)
  const { keyId: shop } = await mintedKey(records, "shop", "enterprise")
  const { keyId: bank } = await mintedKey(records, "bank", "free")
  await records.addUsage([
    { keyId: shop, day: "2026-02-28", operation: "email", count: 9 },
    { keyId: shop, day: "2026-03-01", operation: "email", count: 3 },
    { keyId: shop, day: "2026-03-02", operation: "email", count: 4 },
    { keyId: shop, day: "2026-03-02", operation: "phone", count: 1 },
    { keyId: bank, day: "2026-03-31", operation: "phone", count: 2 },
  ])
  const at = Date.UTC(2026, 2, 1)
  for (let n = 0; n < 1_500; n++) {
    const subject = `source:${n}`
    await records.addAudit({
      at: at + n,
      actor: "ana",
      action: "source.retitle",
      subject,
      detail: {},
    })
  }
  const [action, subject, actor] = ["drop.synced", "drop", "key:key_7"]
  await records.addAudit({ at: Date.UTC(2026, 3, 1), actor, action, subject, detail: { a: 1 } })
  await records.close()
})

test("the audit trail is listed with the newest first, by action, subject and day", async () => {
  const newest = await assay(["audit", "list", "--limit", "2"], env)
  assert.equal(newest.code, 0, newest.err)
  const [head, first, second, ...rest] = newest.out.trimEnd().split("\n")
  assert.match(head ?? "", /^ID +AT +ACTOR +ACTION +SUBJECT +DETAIL$/)
  assert.match(first ?? "", /2026-04-01T00:00:00.000Z +key:key_7 +drop\.synced +drop +\{"a":1\}$/)
  assert.match(second ?? "", / ana +source\.retitle +source:1499 +\{\}$/)
  assert.deepEqual(rest, [])
  // Also past the first page read; the beginning of a name matches only up to a dot.
  const one = await assayHere(["audit", "list", "--action", "source", "--subject", "source:3"], env)
  assert.equal(one.out.trimEnd().split("\n").length, 2)
  assert.match(one.out, / source:3 /)
  assert.match(
    (await assayHere(["audit", "list", "--action", "sourc"], env)).out,
    /^Nothing in the/,
  )
  const since = await assayHere(["audit", "list", "--since", "2026-04-01"], env)
  assert.match(since.out, /drop\.synced/)
  assert.doesNotMatch(since.out, /retitle/)
})

test("the audit trail is exported whole as lines of JSON, the oldest first, and on from an entry", async () => {
  const { code, out, err } = await assay(["audit", "export"], env)
  assert.equal(code, 0, err)
  const entries = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number; at: string; action: string; mac: string })
  assert.ok(entries.length > 1_500)
  assert.ok(entries.every(({ id }, n) => n === 0 || id > (entries[n - 1]?.id ?? 0)))
  assert.deepEqual(entries.at(-1), {
    id: entries.at(-1)?.id,
    at: "2026-04-01T00:00:00.000Z",
    actor: "key:key_7",
    action: "drop.synced",
    subject: "drop",
    detail: { a: 1 },
    tenant_id: null,
    request_id: null,
    mac: entries.at(-1)?.mac,
  })
  assert.equal(new Set(entries.map(({ mac }) => mac)).size, entries.length)
  const march = await assayHere(["audit", "export", "--until", "2026-03-31"], env)
  assert.doesNotMatch(march.out, /drop\.synced/)
  assert.match(march.out, /source\.retitle/)
  const known = entries.at(-3)?.id ?? 0
  const more = await assayHere(["audit", "export", "--after", String(known)], env)
  assert.equal(more.out, out.split("\n").slice(-3).join("\n"))
})

test("usage is printed by tenant, key and operation of a month, by day, or as a document", async () => {
  const month = await assay(["usage", "--month", "2026-03"], env)
  assert.equal(month.code, 0, month.err)
  assert.match(
    month.out,
    /^TENANT +KEY +LABEL +OPERATION +LOOKUPS\nbank +key_bank +phone +2\nshop +key_shop +email +7\nshop +key_shop +phone +1\n$/,
  )
  assert.equal(month.err, "10 lookups in 2026-03.\n")
  const days = await assayHere(["usage", "--month", "2026-03", "--by-day", "--tenant", "shop"], env)
  assert.match(days.out, /^DAY +TENANT [^]*\n2026-03-01 +shop +key_shop +email +3\n/)
  assert.doesNotMatch(days.out, /bank|02-28/)
  const { out } = await assayHere(
    ["usage", "--month", "2026-03", "--json", "--tenant", "bank"],
    env,
  )
  assert.deepEqual(JSON.parse(out), {
    month: "2026-03",
    usage: [{ tenant: "bank", key: "key_bank", label: "", operation: "phone", count: 2 }],
  })
  assert.equal((await assay(["usage"], env)).code, 0)
  assert.match(
    (await assayHere(["usage", "--month", "2020-01"], env)).out,
    /^Nothing was looked up/,
  )
})

test("wrong arguments of both are one sentence", async () => {
  const cases: [string[], RegExp][] = [
    [["audit", "list", "--limit", "0"], /--limit takes an integer from 1 to 1000/],
    [["audit", "list", "--since", "2026-02-30"], /--since takes a UTC day/],
    [["audit", "list", "--until", "March"], /--until takes a UTC day/],
    [["audit", "export", "--after", "x"], /--after takes the id of an entry/],
    [["usage", "--month", "March"], /--month takes a month such as 2026-03/],
    [["usage", "--tenant", "nobody"], /There is no tenant nobody/],
  ]
  for (const [args, message] of cases) {
    // The first of each command as a process.
    const run = args.includes("--limit") || args.includes("March") ? assay : assayHere
    const { code, err } = await run(args, env)
    assert.equal(code, 1)
    assert.match(err, message)
    assert.equal(err.trim().split("\n").length, 1)
  }
})
