import assert from "node:assert/strict"
import { test, type TestContext } from "node:test"
import { MessageChannel } from "node:worker_threads"
import { asProblem } from "../base/problem.ts"
import { threadChannel } from "@assay/runtime/channels"
import { answerCalls, openCalls } from "@assay/runtime/rpc"
import { RecordsError } from "@assay/stores/records-error"
import {
  type EvidenceIntake,
  EvidenceOverload,
  type EvidenceReport,
} from "../intake/evidence-writer.ts"
import { remoteEvidence } from "./remote-desk.ts"

const report: EvidenceReport = {
  tenantId: 1,
  keyId: "k1",
  lines: [
    { identityKey: new Uint8Array(16).fill(3), source: "soc", entry: Uint8Array.of(1, 2) },
    { refusal: "{}" },
  ],
}

/** An intake at the other end of a channel from `submit`. */
function across(t: TestContext, submit: EvidenceIntake["submit"]): EvidenceIntake {
  const { port1, port2 } = new MessageChannel()
  t.after(() => port1.close())
  answerCalls(threadChannel(port1), { submitEvidence: submit })
  return remoteEvidence(openCalls(threadChannel(port2))(5000))
}

test("reports and answers cross as they are", async (t) => {
  const claim = {
    keyId: "k1",
    route: "POST /x",
    keyHash: new Uint8Array([1]),
    fingerprint: new Uint8Array([2]),
  }
  const answer = { state: "stored", outcomes: ["stored", { refusal: "{}" }] } as const
  const intake = across(t, async (...args) => {
    assert.deepEqual(args, [report, claim])
    return answer
  })
  assert.deepEqual(await intake.submit(report, claim), answer)
})

test("stores that are away and a writer with too much to do are 503, any other failure is 500", async (t) => {
  for (const [error, code] of [
    [new RecordsError("unavailable", "away"), "store-unavailable"],
    [new EvidenceOverload("full"), "overloaded"],
    [new TypeError("a bug"), "internal-error"],
  ] as const) {
    const intake = across(t, async () => Promise.reject(error))
    await assert.rejects(intake.submit(report, null), (told) => asProblem(told).code === code)
  }
})
