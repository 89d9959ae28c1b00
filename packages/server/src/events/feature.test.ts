import assert from "node:assert/strict"
import { test } from "node:test"
import { EventDetails, EventList, ProblemDetails } from "@assay/core/contract"
import { deriveSecrets } from "@assay/runtime/secrets"
import { fastify } from "fastify"
import type { App } from "../http/app.ts"
import { openStreams } from "../http/streams.ts"
import { openEventNews } from "./event-news.ts"
import { events } from "./feature.ts"

test("a worker that stops answers those who wait, and nobody waits any more", async () => {
  const app = fastify() as unknown as App
  app.decorateRequest("caller")
  app.addHook("onRequest", async (request) => {
    request.caller = { tenantId: 7 } as typeof request.caller
  })
  app.addSchema(EventList)
  app.addSchema(EventDetails)
  app.addSchema(ProblemDetails)
  const streams = openStreams()
  const { promise: asked, resolve } = Promise.withResolvers<null>()
  const eventRecords = {
    newestEvent: async () => 3,
    newestEvents: async () => [],
    event: async () => null,
    eventsAfter: async () => {
      resolve(null)
      return []
    },
  }
  const secrets = deriveSecrets(new Uint8Array(32).fill(1))
  const eventNews = openEventNews({ newest: eventRecords.newestEvent })
  await events.routes(app, { eventRecords, eventNews, secrets, streams, now: Date.now }, undefined)
  const waiting = app.inject("/api/v1/events?wait=30")
  await asked
  streams.interruptAll()
  const answers = [await waiting, await app.inject("/api/v1/events?wait=30")]
  for (const answer of answers) {
    assert.equal(answer.statusCode, 200)
    assert.deepEqual(answer.json<EventList>().events, [])
  }
  await app.close()
})
