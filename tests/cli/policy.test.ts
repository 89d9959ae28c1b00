import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { newDecisionId } from "../../packages/stores/src/decision-id.ts"
import { openSqliteDecisions } from "../../packages/stores/src/sqlite/decisions.ts"
import { testServerOrSkip } from "../../packages/stores/testing/postgres/test-server.ts"
import { type Service, startService } from "../http/service.ts"
import { temporaryDirectory } from "../http/temporary.ts"
import { assay, assayHere, type Outcome } from "./assay.ts"

const directory = temporaryDirectory()
const data = join(directory, "data")
const env = { ASSAY_DATA: data }
const policy = (...args: string[]) => assay(["policy", ...args, "--tenant", "demo"], env)
const policyHere = (...args: string[]) => assayHere(["policy", ...args, "--tenant", "demo"], env)

function written(name: string, content: unknown): string {
  const file = join(directory, name)
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
  return file
}

async function scored(service: Service, path: string, json: object): Promise<string> {
  const answer = await service.request(path, { json })
  assert.equal(answer.status, 200)
  return answer.headers.get("x-decision-id") ?? ""
}

/** Losses that cost little beside a challenge: an unknown address is let through. */
const LAX = { costs: { loss: 1, challenge: 100, wrong_block: 1000 } }
/** Losses so dear that no address here is let through as it was. */
const STRICT = { prior_abuse: 0.3, costs: { loss: 1000 } }

interface BackTested {
  readonly changed: { readonly id: string; readonly kind: string; readonly after: object }[]
  readonly summary: {
    readonly compared: number
    readonly changed: number
    readonly leftOut: Record<string, number>
    readonly moves: { readonly kind: string; readonly count: number }[]
  }
}

async function backTested(place: Record<string, string>, ...args: string[]): Promise<BackTested> {
  const all = ["policy", "backtest", "--tenant", "demo", "--json", ...args]
  return backTestedBy(await assayHere(all, place))
}

function backTestedBy({ code, out, err }: Outcome): BackTested {
  assert.equal(code, 0, err)
  assert.match(err, /\d+ decisions in [\d.]+ s, [\d,]+ a second\.\n$/)
  const lines = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string })
  const last = lines.pop()
  assert.equal(last?.type, "summary")
  assert.ok(lines.every(({ type }) => type === "changed"))
  return { changed: lines, summary: last } as unknown as BackTested
}

test("every change is a version that can be shown, set from a file and reverted to", async () => {
  assert.equal((await assay(["tenants", "create", "demo"], env)).code, 0)
  const set = await assay(["tenants", "set", "demo", "costs.loss=30", "verified=true"], env)
  assert.match(set.err, /^This is version 2 of its policy\.\n/)
  const file = written("policy.json", { costs: { loss: 40 }, domains: ["Mail.Acme.com"] })
  const replaced = await policy("set", "--file", file)
  assert.equal(replaced.code, 0, replaced.err)
  assert.equal(
    replaced.out,
    "verified: true → false (default)\ncosts.loss: 30 → 40\ndomains: none (default) → acme.com\n",
  )
  assert.match(replaced.err, /^This is version 3 of its policy\.\n.* within 5 seconds\.\n$/)
  assert.equal((await policy("set", "--file", file)).out, "Nothing changed.\n")

  const shown = await policy("show")
  assert.deepEqual(JSON.parse(shown.out), { costs: { loss: 40 }, domains: ["acme.com"] })
  assert.match(shown.err, /^Version 3 of the policy of demo, set \d{4}-\S+ by \S+\n$/)
  const second = await policy("show", "--version", "2")
  assert.deepEqual(JSON.parse(second.out), { costs: { loss: 30 }, verified: true })

  const reverted = await policy("revert", "--version", "2")
  assert.equal(reverted.code, 0, reverted.err)
  assert.match(reverted.out, /^verified: false \(default\) → true\ncosts\.loss: 40 → 30\ndomains: /)
  assert.match(reverted.err, /This is version 4 /)
  assert.equal((await policy("show")).out, second.out)

  const { out } = await policy("history")
  const [head, ...lines] = out.trimEnd().split("\n")
  assert.match(head ?? "", /^VERSION +SET AT +BY +REVERTS TO +CHANGED$/)
  assert.equal(lines.length, 4)
  assert.match(lines[0] ?? "", /^4 +\d{4}-\S+ +\S+ +2 +verified: false \(default\) → true, /)
  assert.match(lines[2] ?? "", /^2 .*costs\.loss: 20 \(default\) → 30$/)
  assert.match(lines[3] ?? "", /^1 .* nothing$/)
  const newest = await policy("history", "--limit", "1")
  assert.equal(newest.out.split("\n")[1]?.trim(), lines[0]?.trim())
})

test("a policy that does not fit is refused with the paths of its members, and nothing changes", async () => {
  const before = (await policyHere("history")).out
  const cases: [string[], RegExp][] = [
    [
      ["set", "--file", written("a.json", { costs: { loss: 0 }, price: 1 })],
      /a\.json: This cannot be a policy:\n\/(price|costs)[^]*\/(price: is not a setting|costs\/loss: must be > 0)/,
    ],
    [
      ["set", "--file", written("b.json", { models: { phone: "7.7" } })],
      /\n\/models\/phone: takes a version that is loaded: 1\.0, 1\.1\n/,
    ],
    [["set", "--file", written("c.json", "{,}")], /c\.json is not JSON/],
    [["set", "--file", join(directory, "none.json")], /none\.json cannot be read/],
    [["show", "--version", "9"], /The policy of demo has no version 9/],
    [["revert", "--version", "0"], /--version takes a number from 1 up/],
    [["backtest", "--days", "91"], /--days takes an integer from 1 to 90/],
    [
      ["backtest", "--file", written("d.json", { domains: ["acme.de"], providers: true })],
      /d\.json changes verified and providers and domains, .* can only be shadowed/,
    ],
    [["backtest", "--model-email", "7.7"], /\/models\/email: takes a version that is loaded/],
  ]
  for (const [args, message] of cases) {
    const { code, out, err } = await policyHere(...args)
    assert.deepEqual([code, out], [1, ""], args.join(" "))
    assert.match(err, message)
    assert.doesNotMatch(err, /\n {4}at /)
  }
  const unknown = await assay(["policy", "history", "--tenant", "nobody"], env)
  assert.match(unknown.err, /There is no tenant nobody/)
  assert.equal((await policyHere("history")).out, before)
})

test("a proposal is run over the decisions of a running service, and of one that was killed", async () => {
  const place = { ASSAY_DATA: join(directory, "served") }
  const service = await startService({ dataDirectory: place.ASSAY_DATA })
  const emails: string[] = []
  for (const name of ["mei.tanaka", "ann", "bob.jones"])
    emails.push(await scored(service, "/api/v1/risk/score", { email: `${name}@mail.example` }))
  await scored(service, "/api/v1/phone-risk", { phone_number: "+61491570156" })
  const strict = written("strict.json", STRICT)
  for (const state of ["running", "killed"]) {
    const args = ["policy", "backtest", "--tenant", "demo", "--json"]
    const same = backTestedBy(await assay(args, place))
    assert.equal(same.summary.compared, 4, state)
    assert.deepEqual(same.changed, [])
    const tried = await backTested(place, "--file", strict)
    assert.equal(tried.summary.compared, 4)
    assert.equal(tried.summary.changed, tried.changed.length)
    assert.deepEqual(
      tried.changed
        .filter(({ kind }) => kind === "email")
        .map(({ id }) => id)
        .sort(),
      emails.toSorted(),
    )
    if (state === "running") await service.kill()
  }

  // What the killed service left in its journal is folded by the next one.
  await (await startService({ dataDirectory: place.ASSAY_DATA })).stop()
  const store = openSqliteDecisions(join(place.ASSAY_DATA, "decisions"))
  const [kept] = await store.list({ tenantId: 1, identityType: "email", limit: 1 })
  assert.ok(kept)
  await store.add([
    { ...kept, id: newDecisionId(kept.at), score: kept.score + 1 },
    { ...kept, id: newDecisionId(kept.at), modelVersion: "0.9" },
    { ...kept, id: newDecisionId(kept.at), identityKey: new Uint8Array(16).fill(9) },
    { ...kept, id: newDecisionId(kept.at - 10 * 86_400_000), at: kept.at - 10 * 86_400_000 },
  ])
  const erasure = { identityKey: new Uint8Array(16).fill(9), tenantId: null, upTo: kept.at }
  assert.equal(await store.eraseIdentity(erasure), 1)
  await store.close()
  const { summary } = await backTested(place, "--file", strict)
  assert.equal(summary.compared, 5)
  assert.deepEqual(summary.leftOut, {
    erased: 1,
    modelNotLoaded: 1,
    notRepeated: 1,
    unknownFormat: 0,
    notShadowed: 0,
  })
  assert.equal((await backTested(place, "--file", strict, "--days", "9")).summary.compared, 4)

  const args = ["policy", "backtest", "--tenant", "demo", "--file", strict]
  const { out } = await assay(args, place)
  assert.match(out, /^5 of 5 actions would have been others\.\nLeft out: 1 erased\.\n/)
  assert.match(out, /\nLeft out: 1 by a model that is not loaded\.\n/)
  assert.match(out, /\nKIND +BEFORE +AFTER +DECISIONS\nemail +allow +review +3\n[^]*\nphone /)
  assert.match(out, new RegExp(`\nID +KIND +BEFORE +AFTER\n[^]*${kept.id} +email +\\d+ allow +`))
})

test("a shadow is set, shown, reported on and ended, beside a running service", async () => {
  const place = { ASSAY_DATA: join(directory, "shadowed") }
  const shadow = (verb: string, ...args: string[]) =>
    assay(["policy", "shadow", verb, "--tenant", "demo", ...args], place)
  await using service = await startService({ dataDirectory: place.ASSAY_DATA })
  assert.match((await shadow("show")).err, /^Nothing is computed beside the policy of demo\.\n$/)
  assert.match((await shadow("report")).err, /The tenant demo has had no such shadow/)
  const more = written("more.json", { providers: true, verified: true })
  const refused = await shadow("set", "--file", more)
  assert.equal(refused.code, 1)
  assert.match(refused.err, /more\.json: \/verified: cannot be on in a shadow alone/)

  const set = await shadow("set", "--file", written("strict.json", STRICT))
  assert.equal(set.out, "Version 1 of the shadow of demo is set.\n", set.err)
  assert.match(set.err, /within 5 seconds.* changes no answer\.\n$/)
  const shown = await shadow("show")
  assert.deepEqual(JSON.parse(shown.out), STRICT)
  assert.match(shown.err, /^Version 1 of the shadow of demo, set \d{4}-\S+ by \S+\n$/)

  const email = "mei.tanaka@mail.example"
  const reportHere = () => assayHere(["policy", "shadow", "report", "--tenant", "demo"], place)
  let report = await reportHere()
  for (let n = 0; n < 100 && !report.out.includes("email"); n++) {
    await scored(service, "/api/v1/risk/score", { email })
    report = await reportHere()
  }
  assert.match(report.out, /^\d+ of \d+ actions would have been others\.\n/)
  assert.match(report.out, /\nKIND +BEFORE +AFTER +DECISIONS\nemail +step_up_auth +block +\d+\n/)
  const { out } = await shadow("report", "--json", "--days", "1", "--version", "1")
  const summary = JSON.parse(out.trim().split("\n").at(-1) ?? "") as BackTested["summary"]
  assert.ok(summary.compared > 0)
  assert.equal(summary.leftOut["modelNotLoaded"], 0)

  const off = await shadow("off")
  assert.match(off.out, /^The shadow of demo ends within 5 seconds; what was recorded stays\.\n$/)
  assert.match((await shadow("off")).out, /^Nothing is computed beside the policy of demo\.\n$/)
  assert.match((await shadow("report")).out, /actions would have been others/)
  const audit = await assay(["audit", "list", "--action", "tenant"], place)
  assert.match(audit.out, /tenant\.end-shadow[^]*tenant\.set-shadow/)
})

test("decisions in PostgreSQL are run the same way", async (context) => {
  const server = await testServerOrSkip(context)
  if (server === null) return
  context.after(() => server.stop())
  const DATABASE_URL = await server.createDatabase()
  const place = { ASSAY_DATA: join(directory, "postgres"), DATABASE_URL }
  await using service = await startService({
    dataDirectory: place.ASSAY_DATA,
    env: { DATABASE_URL },
  })
  const id = await scored(service, "/api/v1/risk/score", { email: "mei.tanaka@mail.example" })
  const set = await assay(
    ["policy", "set", "--tenant", "demo", "--file", written("lax.json", LAX)],
    place,
  )
  assert.equal(set.code, 0, set.err)
  const { changed } = await backTested(place, "--file", written("strict.json", STRICT))
  assert.deepEqual(
    changed.map((each) => each.id),
    [id],
  )
  const first = await backTested(place, "--version", "1")
  assert.deepEqual(first.changed, [])
  assert.equal(first.summary.compared, 1)
})
