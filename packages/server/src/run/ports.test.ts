import assert from "node:assert/strict"
import { test, type TestContext } from "node:test"
import { MessageChannel } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { offer, openCalls, remote, serve } from "@assay/runtime/rpc"
import { RecordsError } from "@assay/stores/records-error"
import type { SentEvidence } from "@assay/stores/records-evidence"
import type { WriterPort } from "../base/writer-port.ts"
import { asProblem } from "../base/problem.ts"
import { type EvidenceReport } from "../intake/evidence-writer.ts"
import type { FeedbackReport } from "../intake/feedback-writer.ts"
import { evidence as evidenceFeature } from "../evidence/feature.ts"
import { feedback as feedbackFeature } from "../feedback/feature.ts"
import { notTaken } from "../intake/refusal.ts"

const report: FeedbackReport = {
  tenantId: 1,
  keyId: "k1",
  identityKey: new Uint8Array(16).fill(3),
  identityType: "email",
  aliasTag: 0,
  outcome: "clear",
  occurredAt: 0,
  loss: null,
  reference: null,
  expiresAt: null,
}
const evidence: EvidenceReport = {
  tenantId: 1,
  keyId: "k1",
  lines: [
    { identityKey: new Uint8Array(16).fill(3), source: "soc", entry: Uint8Array.of(1, 2) },
    { refusal: "{}" },
  ],
}
const notified: SentEvidence = {
  identityKey: new Uint8Array(16).fill(4),
  source: "camara:one",
  entry: Uint8Array.of(3),
  event: Uint8Array.of(5),
}
const claim = {
  keyId: "k1",
  route: "POST /x",
  keyHash: new Uint8Array([1]),
  fingerprint: new Uint8Array([2]),
}

/** The port at the other end of a channel from its implementation. */
function across<P>(t: TestContext, { port }: { port?: WriterPort<P> }, implementation: P): P {
  assert.ok(port !== undefined)
  const { port1, port2 } = new MessageChannel()
  t.after(() => port1.close())
  serve(threadChannel(port1), offer(port, implementation))
  return remote(port, openCalls(threadChannel(port2))(5000), port.problemOf)
}

test("feedback and its answers cross as they are", async (t) => {
  const intake = across(t, feedbackFeature, {
    async submit(...args) {
      assert.deepEqual(args, [report, claim])
      return { state: "stored", id: "fb_1" }
    },
    undo: async (id, tenantId) => id === "fb_1" && tenantId === 7,
  })
  assert.deepEqual(await intake.submit(report, claim), { state: "stored", id: "fb_1" })
  assert.equal(await intake.undo("fb_1", 7), true)
  assert.equal(await intake.undo("fb_1", 8), false)
})

test("evidence and its answers cross as they are", async (t) => {
  const answer = { state: "stored", outcomes: ["stored", { refusal: "{}" }] } as const
  const intake = across(t, evidenceFeature, {
    async submit(...args) {
      assert.deepEqual(args, [evidence, claim])
      return answer
    },
    async notify(notification) {
      assert.deepEqual(notification, notified)
      return "erased"
    },
  })
  assert.equal(await intake.notify(notified), "erased")
  assert.deepEqual(await intake.submit(evidence, claim), answer)
})

test("stores that are away and a writer with too much to do are 503, a carrier that sends too much 429, any other failure 500", async (t) => {
  for (const [error, code] of [
    [new RecordsError("unavailable", "away"), "store-unavailable"],
    [notTaken("overloaded", "full"), "overloaded"],
    [notTaken("rate-limited", "too many"), "rate-limited"],
    [new TypeError("a bug"), "internal-error"],
  ] as const) {
    const failing = async (): Promise<never> => Promise.reject(error)
    const feedback = across(t, feedbackFeature, { submit: failing, undo: failing })
    const { submit, notify } = across(t, evidenceFeature, { submit: failing, notify: failing })
    for (const call of [
      () => feedback.submit(report, null),
      () => feedback.undo("fb_1", 1),
      () => submit(evidence, null),
      () => notify(notified),
    ])
      await assert.rejects(call, (failure) => asProblem(failure).code === code)
  }
})
