import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { type DemoLine, demoLines, demoTwilioLines } from "@assay/carrier/demo-lines"
import { openTrialCarrier, type TrialCarrier } from "@assay/carrier/open-trial-carrier"
import { isSink } from "@assay/carrier/subscriptions"
import { trialClient } from "@assay/carrier/trial-client"
import { openTrialDirectory } from "@assay/carrier/trial-directory"
import { trialSettings } from "@assay/carrier/trial-settings"
import { makeTrialTwilio } from "@assay/carrier/twilio"
import type { OnSignal } from "./serve.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface DevCarrierOptions {
  readonly port: string
  readonly dir?: string
  readonly notify: string
}

const CLIENT_ID = "assay-trial"
const TWILIO_USER = "ACtrial"
const TWILIO = "/twilio"

/** Runs the carrier for trials until it is told to stop. */
export async function runDevCarrier(
  options: DevCarrierOptions,
  terminal: Terminal,
  onSignal: OnSignal,
): Promise<void> {
  if (terminal.env["NODE_ENV"] === "production")
    throw new CommandError(
      "The carrier for trials makes up its answers; production must not ask it",
    )
  if (!isSink(options.notify))
    throw new CommandError("--notify takes an https:// URL, or http:// on this machine")
  const port = portOf(options.port)
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) onSignal(signal, resolve)
  })
  // Delete the files made for this run: their key opens nothing else.
  const temporary = options.dir === undefined ? mkdtempSync(join(tmpdir(), "assay-trial-")) : null
  try {
    const folder = temporary ?? resolve(options.dir ?? "")
    await runIn(folder, port, options.notify, terminal, stopped)
  } finally {
    if (temporary !== null) rmSync(temporary, { recursive: true })
  }
}

async function runIn(
  folder: string,
  port: number,
  notify: string,
  terminal: Terminal,
  stopped: Promise<void>,
): Promise<void> {
  const directory = openTrialDirectory(folder)
  const { client, keyId } = trialClient(CLIENT_ID, directory.privateKeyPem)
  const lines = demoLines(terminal.now())
  const twilioLines = demoTwilioLines(terminal.now())
  const twilio = makeTrialTwilio({
    user: TWILIO_USER,
    password: directory.twilioPassword,
    mount: TWILIO,
  })
  for (const { number, script } of twilioLines) twilio.script(number, script)
  const carrier = await openTrialCarrier({
    clients: [client],
    port,
    lines: Object.fromEntries(lines.map(({ number, script }) => [number, script])),
    notify: { sink: notify, token: directory.notificationToken },
    mounts: { [TWILIO]: twilio.listener },
  }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error
    throw new CommandError(`Port ${port} is in use; take another with --port`, { cause: error })
  })
  try {
    directory.writeSettings(
      trialSettings({
        url: carrier.url,
        tokenUrl: carrier.tokenUrl,
        clientId: CLIENT_ID,
        keyId,
        twilioUrl: `${carrier.url}${TWILIO}/`,
        twilioUser: TWILIO_USER,
      }),
    )
    announce(carrier, [...lines, ...twilioLines], directory.settingsFile, terminal)
    await stopped
  } finally {
    twilio.close()
    await carrier.close()
  }
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN
  if (!(port <= 65_535)) throw new CommandError("--port takes 0 to 65535; 0 is any that is free")
  return port
}

function announce(
  { url }: TrialCarrier,
  lines: readonly DemoLine<unknown>[],
  settingsFile: string,
  { now, print }: Terminal,
): void {
  const rows = lines.map(({ number, simSwapRisk, historyMissing, shows }) => [
    number,
    historyMissing ? `${simSwapRisk}, unknown` : simSwapRisk,
    shows,
  ])
  const [first, swapped] = lines
  print(`A carrier for trials answers at ${url}. Its numbers belong to nobody.\n`)
  table(["NUMBER", "SIM SWAP RISK", "SHOWS"], rows).forEach(print)
  print(`
Start a service that asks it, in another terminal:

  ASSAY_PROVIDERS=${settingsFile} npm start

Let the demo's tenant use it, and ask about a number with the key the service printed:

  npx assay tenants set demo providers=true
  curl -s 'http://localhost:8080/api/v1/phone-risk?explain=true' -H 'Authorization: Bearer KEY' -H 'Content-Type: application/json' -d '{"phone_number":"${swapped?.number ?? ""}"}'

Change what is so on a line; a new SIM is told to the service at once:

  curl -s -X PUT ${url}/trial/numbers/${first?.number ?? ""} -d '{"sim":{"changed_at":"${new Date(now()).toISOString()}"}}'

Stop with Ctrl-C.`)
}
