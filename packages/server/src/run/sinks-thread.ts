import { hostname } from "node:os"
import { pid, stdout } from "node:process"
import { Registry } from "prom-client"
import { parentPort, workerData } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { Explained, isExplained } from "@assay/runtime/explained"
import { offer, openCalls, remote, serve } from "@assay/runtime/rpc"
import { openEventBodies } from "../intake/event-body.ts"
import { type NamedSink, openDestinations } from "../sinks/kinds.ts"
import { openSink } from "../sinks/sink.ts"
import { openSinkMetrics } from "../sinks/sink-metrics.ts"
import { sinkRecordsPort, sinksPort, type SinksThreadData } from "./ports.ts"

/** As long as the records may take for anything. */
const RECORDS_MS = 30_000

if (parentPort === null) throw new Error("sinks-thread runs as a thread of the primary process")
const channel = threadChannel(parentPort)
const within = openCalls(channel)
const { settings, alone, subkeys } = workerData as SinksThreadData

async function print(text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stdout.write(text, (error) => (error == null ? resolve() : reject(error)))
  })
}

function destinations(): NamedSink[] | Explained {
  try {
    return openDestinations(settings, { host: hostname(), pid, print })
  } catch (error) {
    if (isExplained(error, "settings-file")) return error
    throw error
  }
}

const opened = destinations()
if (opened instanceof Explained) await within(5000)("unable", opened.message)
else await run(opened)

async function run(named: readonly NamedSink[]): Promise<void> {
  const records = remote(sinkRecordsPort, within(RECORDS_MS))
  const registry = new Registry()
  const states = async () => await Promise.all(sinks.map((sink) => sink.state()))
  const names = named.map(({ name }) => name)
  const metrics = openSinkMetrics(registry, names, states)
  const bodyOf = openEventBodies(subkeys)
  const sinks = named.map((sink) =>
    openSink({
      ...{ sink, records, bodyOf, alone, now: Date.now },
      changed: (fault) =>
        // If the primary is not there to be told, nobody is.
        void within(RECORDS_MS)("changed", sink.name, fault?.code ?? null).catch(() => undefined),
      count(sent) {
        if ("events" in sent) metrics.countSent(sink.name, sent.events)
        else metrics.countFault(sink.name)
      },
    }),
  )
  serve(channel, {
    stop: async () => void (await Promise.all(sinks.map((sink) => sink.stop()))),
    ...offer(sinksPort, {
      states,
      test: async (name) => (await sinks.find((sink) => sink.name === name)?.test()) ?? null,
      async look() {
        for (const sink of sinks) sink.look()
      },
      metrics: async () => await registry.getMetricsAsJSON(),
    }),
  })
  await within(5000)("ready", true)
}
