import assert from "node:assert/strict"
import { test } from "node:test"
import { MessageChannel } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { offer, openCalls, portOf, remote, serve } from "@assay/runtime/rpc"
import type { PhoneSignals, SignalLookup, SignalQuestion } from "../providers/phone-signals.ts"
import { orFailed } from "./phone-scorer.ts"

const question: SignalQuestion = {
  tenantId: 7,
  e164: "+61491570006",
  region: "AU",
  key: "00ff",
  sinceMs: null,
  tenantCapMicros: null,
}

const port = portOf<SignalLookup>("signals", { look: true })

function opened(
  look: SignalLookup["look"],
  timeoutMs: number,
): { signals: SignalLookup; failures: () => number } {
  const { port1, port2 } = new MessageChannel()
  serve(threadChannel(port1), offer(port, { look }))
  port1.unref()
  let failures = 0
  const signals = orFailed(remote(port, openCalls(threadChannel(port2))(timeoutMs)), () => {
    failures++
  })
  port2.unref()
  return { signals, failures: () => failures }
}

test("a worker's question reaches the place that asks, and its answer comes back as it is", async () => {
  const said: PhoneSignals = {
    state: "asked",
    results: [
      {
        signal: "active",
        status: "ok",
        value: true,
        source: "t",
        observedAt: "2026-01-01T00:00:00Z",
      },
    ],
  }
  const asked: SignalQuestion[] = []
  const { signals, failures } = opened(async (each) => {
    asked.push(each)
    return said
  }, 60_000)
  assert.deepEqual(await signals.look(question), said)
  assert.deepEqual(asked, [question])
  assert.equal(failures(), 0)
})

for (const [how, look] of [
  ["fails", () => Promise.reject(new Error("gone"))],
  ["does not answer", () => new Promise<never>(() => undefined)],
] as const) {
  test(`a place that ${how} is told as failed, and is no answer`, async () => {
    const { signals, failures } = opened(look, how === "fails" ? 60_000 : 1)
    assert.deepEqual(await signals.look(question), { state: "failed", results: [] })
    assert.equal(failures(), 1)
  })
}
