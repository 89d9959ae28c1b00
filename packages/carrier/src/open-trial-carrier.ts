import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Value } from "typebox/value"
import { KEEP_ALIVE_MS } from "./keep-alive.ts"
import { openAccessTokens } from "./access-tokens.ts"
import { apiOutcome, TRIAL_SCOPES } from "./api-routes.ts"
import { invalidArgument } from "./carrier-error.ts"
import { openLines } from "./lines.ts"
import { openNotifier, RETRY_WAITS_MS } from "./notifier.ts"
import { PhoneNumber } from "./operation.ts"
import type { Outcome } from "./reply.ts"
import type { LineScript, TokenScript } from "./script.ts"
import { isScriptRequest, scriptReply } from "./script-routes.ts"
import { sendReply } from "./send-reply.ts"
import { openSubscriptions, simSwapEvent, SWAPPED } from "./subscriptions.ts"
import { openTokenEndpoint, tokenOutcome, type TrialClient } from "./token-endpoint.ts"
import { pathOf, readTrialRequest, type TrialRequest } from "./trial-request.ts"

export interface TrialCarrierOptions {
  readonly clients: readonly TrialClient[]
  /** Any that is free, unless given. */
  readonly port?: number
  readonly now?: () => number
  /** Waits before a notification is sent again. */
  readonly retryWaitsMs?: readonly number[]
  /** Scripts of numbers to begin with. */
  readonly lines?: Readonly<Record<string, LineScript>>
  /** Notified of every SIM change by script, as if it had subscribed to all numbers. */
  readonly notify?: { readonly sink: string; readonly token: string }
  /**
   * Others that answer below a path of their own, such as `/twilio`. They get requests as they
   * came.
   */
  readonly mounts?: Readonly<Record<string, RequestListener>>
}

/**
 * A carrier on this machine that speaks CAMARA, for tests and for trying things out. Scripts decide
 * what it answers about its lines.
 */
export interface TrialCarrier {
  /** Where the APIs are, without a slash at the end. */
  readonly url: string
  readonly tokenUrl: string
  /**
   * Replaces the script of a number. If the new script has a later SIM change than before,
   * subscribers are notified.
   */
  script(number: string, script: LineScript): void
  /** Replaces the script that applies to every number where its own script leaves a member out. */
  scriptAll(script: LineScript): void
  scriptToken(script: TokenScript): void
  /** What arrived, the oldest first; only the latest are kept. */
  requests(): readonly TrialRequest[]
  /** Resolves when no notification is under way. */
  notified(): Promise<void>
  close(): Promise<void>
}

const TOKEN_PATH = "/token"
const TOKEN_SECONDS = 300
/** The subscription id in notifications to `notify`, which hears of every number. */
const EVERY_NUMBER = "every-number"
const REQUESTS_MAX = 10_000

export async function openTrialCarrier(options: TrialCarrierOptions): Promise<TrialCarrier> {
  const { clients, port = 0, now = Date.now, notify, mounts = {} } = options
  const closing = new AbortController()
  const notifier = openNotifier(options.retryWaitsMs ?? RETRY_WAITS_MS, closing.signal)
  const subscriptions = openSubscriptions(notifier, now)
  const lines = openLines(options.lines ?? {}, (number, atMs) => {
    subscriptions.simChanged(number, atMs)
    if (notify === undefined) return
    const data = { phoneNumber: number, subscriptionId: EVERY_NUMBER }
    notifier.send(notify.sink, notify.token, simSwapEvent(SWAPPED, atMs, data))
  })
  const tokens = openAccessTokens()
  const received: TrialRequest[] = []

  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (message, response) => {
    const mount = Object.entries(mounts).find(([prefix]) =>
      pathOf(message).startsWith(`${prefix}/`),
    )
    if (mount !== undefined) {
      mount[1](message, response)
      return
    }
    readTrialRequest(message)
      .then(serve)
      .then((outcome) => sendReply(response, outcome, closing.signal))
      .catch(() => {
        // A request that broke off, or a fault of this program: not something that was scripted,
        // and not to be taken for it.
        if (response.headersSent) response.destroy()
        else response.writeHead(500).end(JSON.stringify({ status: 500, code: "INTERNAL" }))
      })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const tokenUrl = url + TOKEN_PATH
  const endpoint = openTokenEndpoint({
    clients,
    audiences: [tokenUrl, url],
    scopes: TRIAL_SCOPES,
    tokens,
    lifetimeSeconds: () => lines.token.lifetime_seconds ?? TOKEN_SECONDS,
    now,
  })

  async function serve(request: TrialRequest): Promise<Outcome> {
    received.push(request)
    if (received.length > REQUESTS_MAX) received.shift()
    if (request.path === TOKEN_PATH) return await tokenOutcome(endpoint, request, lines.tokenFault)
    if (isScriptRequest(request)) return { reply: scriptReply(lines, request), fault: null }
    return apiOutcome(request, { lines, tokens, subscriptions, now })
  }

  return {
    url,
    tokenUrl,
    script(number, script) {
      if (!Value.Check(PhoneNumber, number)) throw invalidArgument("the number is not in E.164")
      lines.script(number, script)
    },
    scriptAll: lines.scriptAll,
    scriptToken: lines.scriptToken,
    requests: () => received,
    notified: notifier.idle,
    async close() {
      closing.abort()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
      await notifier.idle()
    },
  }
}
