import type { Cluster } from "node:cluster"
import { demoEmails, demoPhones } from "../demo/demo-identities.ts"
import { type Config, readConfig } from "../base/config.ts"
import { sharesPort } from "@assay/drop/drop-config"
import { type Log, openLog } from "@assay/runtime/log"
import type { Program } from "../run/drop-child.ts"
import { linkOf } from "../people/members.ts"
import { type Service, startService } from "../run/primary.ts"
import type { Terminal } from "./terminal.ts"

/** Signals a service reacts to, as main.ts receives them. */
export type OnSignal = (signal: "SIGTERM" | "SIGINT" | "SIGHUP", listener: () => void) => void

/** Starts the service and resolves when it has stopped. */
export async function serve(
  options: { workers?: string },
  terminal: Terminal,
  cluster: Cluster,
  onSignal: OnSignal,
  program: Program,
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
  const service = await startService(config, log, cluster, program)
  reload = (): void => {
    log.info("restarting workers", { signal: "SIGHUP" })
    service.restart().catch((error: unknown) => {
      log.error("workers could not be restarted", { error })
    })
  }
  announce(service, config, terminal)
  if (early.reload) reload()
  await stopped
  await service.stop()
}

/**
 * Resolves at the first signal to stop. Asked for before anything starts, so that none is missed
 * meanwhile.
 */
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

function announce(service: Service, config: Config, terminal: Terminal): void {
  const { address, drop, demoKey } = service
  const base = `http://localhost:${address.port}`
  const origin = config.consoleOrigin ?? base
  const link = service.firstLink === null ? null : linkOf(origin, service.firstLink)
  if (demoKey === null) {
    if (link !== null)
      terminal.print(`Nobody can sign in yet. The first administrator joins by ${link}`)
    return
  }
  const [email] = demoEmails
  const [phone] = demoPhones
  terminal.print(`
Assay is running with demo data.

  Start page      ${base}
  API reference   ${base}/docs
  API key         ${demoKey}${link === null ? "" : administratorLine(link)}${drop === null ? "" : dropLines(config, drop.port, base, commandOn(config, terminal))}

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

/** On the terminal alone, and never in the log: whoever has the link becomes administrator. */
function administratorLine(link: string): string {
  return `
  Administrator   ${link}, once`
}

/**
 * Where the drop is, and where its recipients begin. One on the API's port is for trying it out,
 * and says so.
 */
function dropLines({ drop }: Config, port: number | null, base: string, command: string): string {
  const origin = sharesPort(drop) ? base : (drop.origin ?? `http://localhost:${port ?? ""}`)
  const shared = sharesPort(drop)
    ? `
                  It shares the port of the API, which only a demo may: in production set DROP_PORT or DROP_ORIGIN.`
    : ""
  return `
  Anonymous drop  ${origin}/drop${shared}
  Its inbox       ${base}/console/drop, with a token of: ${command} operators token --name NAME`
}

/** The command line to type in a checkout, in a shell other than the service's. */
function commandOn({ dataDirectory }: Config, { env }: Terminal): string {
  return env["ASSAY_DATA"] === undefined ? "npx assay" : `ASSAY_DATA=${dataDirectory} npx assay`
}
