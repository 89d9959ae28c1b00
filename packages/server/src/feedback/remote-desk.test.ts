import assert from "node:assert/strict"
import { test, type TestContext } from "node:test"
import { MessageChannel } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { answerCalls, openCalls } from "@assay/runtime/rpc"
import { RecordsError } from "@assay/stores/records-error"
import { asProblem } from "../base/problem.ts"
import {
  type FeedbackIntake,
  FeedbackOverload,
  type FeedbackReport,
} from "../intake/feedback-writer.ts"
import { remoteFeedback } from "./remote-desk.ts"

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

/** An intake at the other end of a channel from `intake`. */
function across(t: TestContext, intake: FeedbackIntake): FeedbackIntake {
  const { port1, port2 } = new MessageChannel()
  t.after(() => port1.close())
  answerCalls(threadChannel(port1), { submitFeedback: intake.submit, undoFeedback: intake.undo })
  return remoteFeedback(openCalls(threadChannel(port2))(5000))
}

test("reports and answers cross as they are", async (t) => {
  const claim = {
    keyId: "k1",
    route: "POST /x",
    keyHash: new Uint8Array([1]),
    fingerprint: new Uint8Array([2]),
  }
  const intake = across(t, {
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

test("stores that are away and a writer with too much to do are 503, any other failure is 500", async (t) => {
  for (const [error, code] of [
    [new RecordsError("unavailable", "away"), "store-unavailable"],
    [new FeedbackOverload("full"), "overloaded"],
    [new TypeError("a bug"), "internal-error"],
  ] as const) {
    const failing = async (): Promise<never> => Promise.reject(error)
    const intake = across(t, { submit: failing, undo: failing })
    for (const call of [() => intake.submit(report, null), () => intake.undo("fb_1", 1)])
      await assert.rejects(call, (told) => asProblem(told).code === code)
  }
})
