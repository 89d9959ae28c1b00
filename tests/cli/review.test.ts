import assert from "node:assert/strict"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, test } from "node:test"
import type { OutcomeReport, Review } from "@assay/core/contract"
import { emailInput } from "../../packages/core/testing/score/arbitrary-inputs-suite.ts"
import { assessEmail, emailModels } from "@assay/core/score"
import { newDecisionId } from "../../packages/stores/src/decision-id.ts"
import { type Decision, DECISION_FORMAT } from "../../packages/stores/src/decisions.ts"
import { openSqliteDecisions } from "../../packages/stores/src/sqlite/decisions.ts"
import { openRecordsOf } from "../http/records-of.ts"
import { HOUR_MS } from "../../packages/runtime/src/time.ts"
import { type Service, startService } from "../http/service.ts"
import { temporaryDirectory } from "../http/temporary.ts"
import { assay, assayHere } from "./assay.ts"

const directory = temporaryDirectory()
const data = join(directory, "data")
const env = { ASSAY_DATA: data }
const review = (...args: string[]) => assay(["review", ...args, "--tenant", "demo"], env)
const reviewHere = (...args: string[]) => assayHere(["review", ...args, "--tenant", "demo"], env)

let service: Service
let id: string
before(async () => {
  service = await startService({ dataDirectory: data, args: ["--workers", "1"] })
  const json = { email: "sofia.rossi@mail.example", context: { ref: "order 17" } }
  const answer = await service.request("/api/v1/risk/score", { json })
  id = answer.headers.get("x-decision-id") ?? ""
  // Which brings the decision into the queue.
  assert.equal((await service.request(`/api/v1/decisions/${id}`)).status, 200)
})
after(() => service.stop())

test("reviews are listed, shown, assigned, decided and undone by command", async () => {
  const listed = await review("list", "--action", "block", "--newer-than-hours", "1")
  assert.equal(listed.code, 0, listed.err)
  const [head = "", line = "", ...more] = listed.out.trim().split("\n")
  assert.match(head, /^ID +DECIDED AT +SUBJECT +SCORE +STAGE +ACTION +REF +ASSIGNEE +OUTCOME/)
  assert.match(line, new RegExp(`^${id} .* email .* ATTACKED +block +order 17 +waiting$`))
  assert.deepEqual(more, [])
  assert.ok(!(await reviewHere("list", "--band", "low")).out.includes(id))

  assert.equal((await review("assign", id, "--to", "key:k9")).out, `${id} is key:k9's\n`)
  const decided = await review("decide", id, "--outcome", "genuine", "--note", "known customer")
  assert.equal(decided.out, `${id}: genuine\n`)
  assert.match(decided.err, /^It is feedback fb_[0-9a-f]+ and acts on the next score\.\n$/)
  const shown = JSON.parse((await review("show", id)).out) as Review
  assert.deepEqual(
    [shown.ref, shown.assignee, shown.outcome, shown.note],
    ["order 17", "key:k9", "genuine", "known customer"],
  )
  assert.notEqual(shown.reviewed_by ?? "", "")
  const other = await review("decide", id, "--outcome", "cannot_tell")
  assert.deepEqual([other.code, /decided already/.test(other.err)], [1, true])
  assert.equal((await review("undo", id)).out, `${id} waits again\n`)
  const trail = await assay(["audit", "list", "--action", "review", "--limit", "3"], env)
  assert.deepEqual(trail.out.match(/review\.\w+/g), [
    "review.undo",
    "review.decide",
    "review.assign",
  ])
  assert.ok(!trail.out.includes("known customer") && !trail.out.includes("order 17"))
})

test("what cannot be is refused in a sentence", async () => {
  const refusals: [string[], RegExp][] = [
    [["list", "--band", "enormous"], /--band does not take this/],
    [["list", "--older-than-hours", "x"], /--older-than-hours does not take this/],
    [["show", "dec_nothing"], /No review of this tenant has this id/],
    [["undo", newDecisionId(0)], /No review of this tenant has this id/],
    [["assign", id, "--to", "ana@mail.example"], /--to takes/],
    [["decide", id, "--outcome", "bad"], /--outcome takes one of/],
    [
      ["decide", id, "--outcome", "genuine", "--note", "ana@mail.example"],
      /must not hold an e-mail/,
    ],
    [["outcomes", "--days", "401"], /--days takes/],
    [["outcomes", "--policy"], /at least 200 bad outcomes/],
  ]
  for (const [args, expected] of refusals) {
    const { code, out, err } = await reviewHere(...args)
    assert.deepEqual([code, out], [1, ""], args.join(" "))
    assert.match(err, expected)
    assert.ok(!err.includes("ana@"))
  }
})

test("a review is decided without a service too, and acts when it starts", async () => {
  await service.stop()
  const { code, err } = await review("decide", id, "--outcome", "confirmed_fraud")
  assert.equal(code, 0, err)
  service = await startService({ dataDirectory: data, args: ["--workers", "1"] })
  const json = { email: "sofia.rossi@mail.example" }
  const answer = await service.request("/api/v1/risk/score?explain=true", { json })
  assert.match(await answer.text(), /FRAUD_CONFIRMED/)
})

/** Decisions of a model that promises too little: nearly all of those that it suspects are bad. */
function decisions(tenantId: number, keyId: string): { decision: Decision; bad: boolean }[] {
  return Array.from({ length: 640 }, (_, n) => {
    const at = Date.now() - (700 - n) * HOUR_MS
    const suspect = n % 2 === 0
    const input = emailInput({
      exposures: suspect
        ? [{ kind: "stealer", source: "s", age: 20, conf: 0.9, secret: "plaintext" }]
        : [],
    })
    const assessed = assessEmail(input, emailModels["1.1"])
    const decision: Decision = {
      ...{ id: newDecisionId(at), at, tenantId, keyId, identityType: "email" },
      ...{ identityKey: new Uint8Array(16).fill((n % 250) + 1), modelVersion: "1.1" },
      ...{ calibration: null, score: assessed.risk_score, stage: assessed.threat_stage },
      ...{ confidence: assessed.confidence, action: "review", input: JSON.stringify(input) },
      format: DECISION_FORMAT,
      shadow: null,
    }
    return { decision, bad: suspect ? n % 20 !== 0 : n % 31 === 0 }
  })
}

test("what was confirmed proposes a calibration that the back-test takes as it is", async () => {
  await service.stop()
  const records = await openRecordsOf(data)
  const tenant = await records.tenantByName("demo")
  const [key] = await records.keys({ tenantId: tenant?.id ?? 0 })
  assert.ok(tenant && key)
  const made = decisions(tenant.id, key.id)
  const store = openSqliteDecisions(join(data, "decisions"))
  await store.add(made.map(({ decision }) => decision))
  await store.close()
  await records.addReviews(
    made.map(({ decision }) => ({ ...decision, tenantId: tenant.id, reasons: [], ref: null })),
  )
  for (const [n, { decision, bad }] of made.entries())
    await records.decideReviews({
      ...{ tenantId: tenant.id, actor: "test", at: Date.now(), which: { id: decision.id } },
      ...{ outcome: bad ? "confirmed_fraud" : "genuine", note: null },
      receipts: [{ id: `fb_made${n}`, receivedAt: Date.now() + n }],
    })
  await records.close()

  const printed = await review("outcomes")
  assert.equal(printed.code, 0, printed.err)
  assert.match(printed.out, /Confirmed since .*: \d+ bad, \d+ good/)
  assert.match(printed.out, /Calibration error of email: 0\.\d+/)
  const report = JSON.parse((await reviewHere("outcomes", "--json")).out) as OutcomeReport
  assert.equal(report.confirmed.bad + report.confirmed.good, 641)
  assert.ok(report.proposal.held_out)
  const { before: was, after: is } = report.proposal.held_out
  assert.ok(is.log_loss < was.log_loss && is.ece < was.ece, JSON.stringify({ was, is }))

  const policy = await reviewHere("outcomes", "--policy")
  assert.equal(policy.code, 0, policy.err)
  const file = join(directory, "proposal.json")
  writeFileSync(file, policy.out)
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), report.proposal.policy)
  const tried = await assayHere(
    ["policy", "backtest", "--tenant", "demo", "--file", file, "--json"],
    env,
  )
  assert.equal(tried.code, 0, tried.err)
  const summary = JSON.parse(tried.out.trim().split("\n").at(-1) ?? "") as { compared: number }
  assert.ok(summary.compared > 0)
  service = await startService({ dataDirectory: data, args: ["--workers", "1"] })
})
