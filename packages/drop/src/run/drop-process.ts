// The process of the anonymous drop: its store, its listeners and its sealers, apart from
// everything else the service does.
import { setPriority } from "node:os"
import process from "node:process"
import { listenFault } from "@assay/runtime/listen-fault"
import { openLog } from "@assay/runtime/log"
import { parentChannel } from "@assay/runtime/channels"
import { closeInheritedFiles } from "@assay/runtime/close-inherited"
import { collectOnceQuiet } from "@assay/runtime/collect-garbage"
import { openCalls, serve } from "@assay/runtime/rpc"
import type { DigestNews } from "../digest.ts"
import { type DropSettings, openDrop } from "./drop.ts"

const NICENESS = 3
/** Time for the service to store an event. */
const TELL_MS = 30_000

closeInheritedFiles()
// Every file this process makes, even a forgotten one, is its owner's alone.
process.umask(0o077)
// The drop comes after the service: a program waits for a score, and a person for this.
setPriority(NICENESS)
// A terminal sends its signals to every process; this one stops only on the primary's order, or
// when the primary is gone.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined)

void run()

async function run(): Promise<void> {
  const channel = parentChannel(process)
  /** When the primary is gone. Until the drop is open there is nothing to close. */
  let leave = (): void => process.exit(0)
  channel.onClose(() => leave())
  const settings = await new Promise<DropSettings>((resolve) =>
    channel.onMessage((message) => {
      if ("settings" in (message as object))
        resolve((message as { settings: DropSettings }).settings)
    }),
  )
  const log = openLog(settings.logLevel)
  // Logged without its message, which Node would print: it may quote what was sent.
  process.on("uncaughtException", (error) => {
    log.error("drop failed", { error })
    process.exit(1)
  })

  const within = openCalls(channel)
  const tellDigest = async (digest: DigestNews): Promise<void> =>
    void (await within(TELL_MS)("tellDigest", digest))
  const drop = await openDrop({ settings, program: process, log, tellDigest, now: Date.now }).catch(
    async (error: unknown) => {
      const fault = listenFault(error, "DROP_PORT")
      if (fault === null) throw error
      // The primary reports it, once; this process has nothing to add.
      await within(5000)("unable", fault)
      process.exit(1)
    },
  )
  const stop = async (): Promise<void> => {
    await drop.close()
    log.info("drop stopped")
  }
  serve(channel, { stop, ping: async () => undefined, reloadDropKeys: drop.reloadKeys })
  leave = () => void stop().finally(() => process.exit(0))
  collectOnceQuiet()
  log.info("drop started", { configHash: drop.configHash })
  await within(5000)("ready", { port: drop.port, addresses: drop.addresses })
}
