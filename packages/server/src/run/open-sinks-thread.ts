import { extname } from "node:path"
import { keepChildren, startThread } from "@assay/runtime/children"
import type { Log } from "@assay/runtime/log"
import { offer, remote } from "@assay/runtime/rpc"
import type { SinkRecords } from "@assay/stores/records-sinks"
import { wrongSettings } from "../base/config.ts"
import type { Sinks } from "../http/feature.ts"
import { unusable } from "../sinks/sink-settings.ts"
import { sinkRecordsPort, sinksPort, type SinksThreadData } from "./ports.ts"

/** The thread that sends to sinks, as the primary reaches it. */
export interface SinksThread extends Sinks {
  /** Events may have been added. Never rejects. */
  look(): Promise<void>
  /** The thread's registry, as JSON; null while there is no thread. */
  metrics(): Promise<object | null>
  /** Waits for what is being sent, and ends the thread. */
  close(): Promise<void>
}

const CALL_MS = 5_000
/** Beyond the time that the slowest receiver has for a batch and for a test after it. */
const TEST_MS = 300_000
/** A receiver that does not answer must not hold up a stop for longer. */
const STOP_MS = 25_000

/** Where none is configured nobody gets anything, and there is no thread. */
export const noSinks: SinksThread = {
  states: async () => [],
  test: async () => null,
  look: async () => undefined,
  metrics: async () => null,
  close: async () => undefined,
}

/** Starts the thread and keeps one running. Throws Explained `config` for settings of no use. */
export async function openSinksThread(
  data: SinksThreadData,
  records: SinkRecords,
  log: Log,
): Promise<SinksThread> {
  const module = new URL(`./sinks-thread${extname(import.meta.filename)}`, import.meta.url)
  const threads = await keepChildren<true>({
    name: "thread that sends to sinks",
    start: () => ({
      ...startThread(module, data, (error) =>
        log.error("the thread that sends to sinks failed", { error }),
      ),
      methods: {
        ...offer(sinkRecordsPort, records),
        async changed(sink: string, fault: string | null) {
          if (fault === null) log.info("a sink gets its events again", { sink })
          else
            log.warn("a sink does not take events; they are kept and sent later", {
              sink,
              code: fault,
            })
        },
      },
    }),
    unable: (why) => wrongSettings(unusable(why)),
    stopMs: STOP_MS,
    silentMs: null,
    log,
  })
  const soon = remote(sinksPort, threads.within(CALL_MS))
  return {
    states: () => soon.states(),
    test: (name) => remote(sinksPort, threads.within(TEST_MS)).test(name),
    // Without it a look each second finds them.
    look: () => soon.look().catch(() => undefined),
    metrics: () => soon.metrics().catch(() => null),
    close: threads.stop,
  }
}
