import { SinkList, SinkParams, SinkTestResult } from "@assay/core/contract"
import type { Records } from "@assay/stores/records"
import { Problem } from "../base/problem.ts"
import { writerPort } from "../base/writer-port.ts"
import { actorOf } from "../accounts/callers.ts"
import type { App } from "../http/app.ts"
import type { Feature, Sinks } from "../http/feature.ts"
import { failures, FAILURES_OF_READING, named } from "../http/schemas.ts"

const sinksPort = writerPort<Sinks>(
  "sinks",
  { states: true, test: true },
  // A test waits for its turn and for the receiver.
  { failed: "The sinks cannot be reached", answerMs: 300_000 },
)

interface SinkServices {
  readonly audit: Records["addAudit"]
  readonly now: () => number
}

const listSchema = {
  operationId: "listSinks",
  summary: "See what security tools have of the events",
  description:
    "Every sink of the settings, up to where it has events and what is wrong with it. Empty where none is configured.",
  tags: ["Operate"],
  security: [{ session: [] }],
  response: {
    200: named(SinkList, "The sinks."),
    ...failures(...FAILURES_OF_READING),
  },
}

const testSchema = {
  operationId: "testSink",
  summary: "Send a test to a sink",
  description:
    "One event of the kind `sink.test`, sent once, after what is being sent. It counts for nothing else.",
  tags: ["Operate"],
  security: [{ session: [] }],
  params: SinkParams,
  response: {
    200: named(SinkTestResult, "What came of it."),
    ...failures(...FAILURES_OF_READING, "not-found", "sink-not-found"),
  },
}

export const sinks: Feature<SinkServices, Sinks> = {
  port: sinksPort,
  writer: async ({ sinks: all }) => all,
  routes: sinkRoutes,
}

function sinkRoutes(app: App, { audit, now }: SinkServices, keeper: Sinks): void {
  app.get("/api/v1/sinks", { schema: listSchema }, async () => ({
    sinks: [...(await keeper.states())],
  }))

  app.post("/api/v1/sinks/:name/test", { schema: testSchema }, async ({ caller, id, params }) => {
    const { name } = params
    const tested = await keeper.test(name)
    if (tested === null) throw new Problem("sink-not-found", "There is no sink of this name.")
    const { event_id, fault } = tested
    await audit({
      ...{ at: now(), actor: actorOf(caller), requestId: id, action: "sink.test" },
      ...{ subject: `sink:${name}`, detail: { event_id, fault } },
    })
    return tested
  })
}
