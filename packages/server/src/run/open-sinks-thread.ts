import { extname } from "node:path"
import { keepChildren, startThread } from "@assay/runtime/children"
import type { Log } from "@assay/runtime/log"
import { offer, remote } from "@assay/runtime/rpc"
import type { SinkRecords } from "@assay/stores/records-sinks"
import { wrongSettings } from "../base/config.ts"
import { unusable } from "../sinks/sink-settings.ts"
import type { SinksThread } from "./no-sinks.ts"
import { sinkRecordsPort, sinksPort, type SinksThreadData } from "./ports.ts"

const CALL_MS = 5_000
/** Beyond the time that the slowest receiver has for a batch and for a test after it. */
const TEST_MS = 300_000
/** A receiver that does not answer must not hold up a stop for longer. */
const STOP_MS = 25_000

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
