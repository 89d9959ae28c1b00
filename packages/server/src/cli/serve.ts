import type { Cluster } from "node:cluster"
import { demoEmails, demoPhones } from "../corpus/demo-identities.ts"
import { readConfig } from "../config.ts"
import { type Log, openLog } from "../log.ts"
import { type Service, startService } from "../process/primary.ts"
import type { Terminal } from "./terminal.ts"

/** Signals a service reacts to, as main.ts receives them. */
export type OnSignal = (signal: "SIGTERM" | "SIGINT" | "SIGHUP", listener: () => void) => void

/** Starts the service and resolves when it has stopped. */
export async function serve(
  options: { workers?: string },
  terminal: Terminal,
  cluster: Cluster,
  onSignal: OnSignal,
): Promise<void> {
  const config = readConfig(terminal.env, options.workers)
  const log = openLog(config.logLevel)
  if (!config.production) terminal.note(`Starting on ${config.dataDirectory} …`)
  const stopped = signalled(onSignal, log)
  // Asked for before anything starts too: unheard, this signal ends a process.
  const early = { reload: false }
  let reload = (): void => {
    early.reload = true
  }
  onSignal("SIGHUP", () => reload())
  const service = await startService(config, log, cluster)
  reload = (): void => {
    log.info("restarting workers", { signal: "SIGHUP" })
    service.restart().catch((error: unknown) => {
      log.error("workers could not be restarted", { error })
    })
  }
  announce(service, terminal)
  if (early.reload) reload()
  await stopped
  await service.stop()
}

/** Resolves at the first signal to stop. Asked for before anything starts, so that none is missed meanwhile. */
async function signalled(onSignal: OnSignal, log: Log): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      onSignal(signal, () => {
        log.info("stopping", { signal })
        resolve()
      })
    }
  })
}

function announce({ address, demoKey }: Service, terminal: Terminal): void {
  const base = `http://localhost:${address.port}`
  if (demoKey === null) return
  const [email] = demoEmails
  const [phone] = demoPhones
  terminal.print(`
Assay is running with demo data.

  API reference   ${base}/docs
  API key         ${demoKey}

Score an e-mail address:

  curl -s ${base}/api/v1/risk/score -H 'Authorization: Bearer ${demoKey}' -H 'Content-Type: application/json' -d '{"email":"${email?.email ?? ""}"}'

Score a phone number:

  curl -s ${base}/api/v1/phone-risk -H 'Authorization: Bearer ${demoKey}' -H 'Content-Type: application/json' -d '{"phone_number":"${phone?.phone ?? ""}"}'

Others to try: ${demoEmails
    .slice(1)
    .map((demo) => demo.email)
    .join(", ")};
${demoPhones
  .slice(1)
  .map((demo) => demo.phone)
  .join(", ")}.
Stop with Ctrl-C.
`)
}
