import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Value } from "typebox/value"
import { CarrierError, invalidArgument } from "./carrier-error.ts"
import { KEEP_ALIVE_MS } from "./keep-alive.ts"
import { PhoneNumber } from "./operation.ts"
import { jsonReply, type Outcome, type Reply } from "./reply.ts"
import type { TrialFault } from "./script.ts"
import { sendReply } from "./send-reply.ts"
import { readTrialRequest } from "./trial-request.ts"
import { lookupDocument } from "./twilio-lookup.ts"
import {
  readTwilioScript,
  TWILIO_FIELDS,
  type TwilioField,
  type TwilioScript,
} from "./twilio-script.ts"

export interface TrialTwilioOptions {
  readonly user: string
  readonly password: string
  /** The path below which it answers, such as `/twilio`; at the top unless given. */
  readonly mount?: string
  readonly now?: () => number
}

export interface TwilioRequest {
  readonly method: string
  /** Path and query, without the mount. */
  readonly target: string
  readonly headers: IncomingMessage["headers"]
}

/**
 * Twilio Lookup v2 on this machine, for tests and for trying things out. Scripts decide what it
 * knows of numbers.
 */
export interface TrialTwilio {
  readonly listener: RequestListener
  /** Replaces the script of a number. */
  script(number: string, script: TwilioScript): void
  /** Replaces what holds for every number without a script. */
  scriptAll(script: TwilioScript): void
  /** What arrived, the oldest first; only the latest are kept. */
  requests(): readonly TwilioRequest[]
  /** Ends answers that are still to come. */
  close(): void
}

export interface ListeningTwilio extends Omit<TrialTwilio, "listener" | "close"> {
  /** As `base_url` of the settings takes it. */
  readonly url: string
  close(): Promise<void>
}

const REQUESTS_MAX = 10_000
const LOOKUPS = "/v2/PhoneNumbers/"
const SCRIPTS = "/trial/numbers"

interface Scripted {
  readonly script: TwilioScript
  /** For how many more requests each fault acts. */
  readonly left: number[]
}

/** Runs on its own server, or mounted in another. */
export function makeTrialTwilio(options: TrialTwilioOptions): TrialTwilio {
  const { user, password, mount = "", now = Date.now } = options
  const credentials = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
  const closing = new AbortController()
  const received: TwilioRequest[] = []
  const numbers = new Map<string, Scripted>()
  let others = scripted({})

  const listener: RequestListener = (message, response) => {
    readTrialRequest(message)
      .then(({ method, headers, body }) => {
        const target = (message.url ?? "").slice(mount.length)
        received.push({ method, target, headers })
        if (received.length > REQUESTS_MAX) received.shift()
        return outcome(method, new URL(target, "http://trial.invalid"), headers, body)
      })
      .then((outcome) => sendReply(response, outcome, closing.signal))
      .catch(() => {
        // A request that broke off, or a fault of this program: not something that was scripted.
        if (response.headersSent) response.destroy()
        else response.writeHead(500).end()
      })
  }

  function outcome(
    method: string,
    { pathname: path, searchParams: query }: URL,
    { authorization }: IncomingMessage["headers"],
    body: string,
  ): Outcome {
    if (path.startsWith(SCRIPTS)) return as(scriptReply(method, path, body))
    if (authorization !== credentials) return as(refusal(401, 20003, "Authenticate"))
    if (method !== "GET") return as(refusal(405, 20004, "Method not allowed"))
    if (path === "/v2/RateLimits") return as(jsonReply(200, { rate_limits: [] }))
    const number = numberIn(path, LOOKUPS)
    if (number === null) return as(refusal(404, 20404, "There is no such resource"))
    const fields = fieldsIn(query)
    const lastVerifiedDate = query.get("LastVerifiedDate")
    if (fields === null || !dateFits(fields, lastVerifiedDate))
      return as(refusal(400, 400, "A parameter is missing or wrong"))
    const found = numbers.get(number) ?? others
    const document = lookupDocument(
      { number, fields, lastVerifiedDate, nowMs: now() },
      found.script,
    )
    return { reply: jsonReply(200, document), fault: faultOf(found) }
  }

  function scriptReply(method: string, path: string, body: string): Reply {
    const number = path === SCRIPTS ? null : numberIn(path, `${SCRIPTS}/`)
    if (number === null && path !== SCRIPTS) return refusal(404, 20404, "There is no such number")
    if (method === "PUT") {
      try {
        replace(number, JSON.parse(body))
      } catch (error) {
        if (error instanceof SyntaxError) return refusal(400, 400, "The script is not JSON")
        if (error instanceof CarrierError) return refusal(400, 400, error.message)
        throw error
      }
    } else if (method !== "GET") return refusal(405, 20004, "Scripts take GET and PUT")
    return jsonReply(200, (number === null ? others : numbers.get(number))?.script ?? {})
  }

  function replace(number: string | null, document: unknown): void {
    const next = scripted(readTwilioScript(document))
    if (number === null) others = next
    else numbers.set(number, next)
  }

  return {
    listener,
    script(number, script) {
      if (!Value.Check(PhoneNumber, number)) throw invalidArgument("the number is not in E.164")
      replace(number, script)
    },
    scriptAll: (script) => replace(null, script),
    requests: () => received,
    close: () => closing.abort(),
  }
}

/** On a free port of this machine. */
export async function openTrialTwilio(options: TrialTwilioOptions): Promise<ListeningTwilio> {
  const { listener, close, ...twilio } = makeTrialTwilio(options)
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, listener)
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    ...twilio,
    url: `http://127.0.0.1:${port}${options.mount ?? ""}/`,
    async close() {
      close()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function scripted(script: TwilioScript): Scripted {
  return { script, left: (script.faults ?? []).map(({ times = Infinity }) => times) }
}

/** The fault that acts on a request, which counts as one of its times. */
function faultOf({ script: { faults = [] }, left }: Scripted): TrialFault | null {
  const at = left.findIndex((times) => times > 0)
  if (at === -1) return null
  left[at] = (left[at] ?? 0) - 1
  return faults[at] ?? null
}

function as(reply: Reply): Outcome {
  return { reply, fault: null }
}

/** In the form of Twilio's refusals. The message never quotes the request. */
function refusal(status: number, code: number, message: string): Reply {
  return jsonReply(status, { code, message, more_info: null, status })
}

function numberIn(path: string, prefix: string): string | null {
  const number = path.startsWith(prefix) ? path.slice(prefix.length).replace(/^%2B/i, "+") : ""
  return Value.Check(PhoneNumber, number) ? number : null
}

/** null: one of the names is no field. */
function fieldsIn(query: URLSearchParams): TwilioField[] | null {
  const names = (query.get("Fields") ?? "").split(",").filter((name) => name !== "")
  const fields = TWILIO_FIELDS.filter((field) => names.includes(field))
  return fields.length === names.length ? fields : null
}

function dateFits(fields: readonly TwilioField[], date: string | null): boolean {
  return !fields.includes("reassigned_number") || /^\d{8}$/.test(date ?? "")
}
