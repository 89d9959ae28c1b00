// Loaded before the programs of a test run by scripts/record-scores.ts: writes each scoring request
// that a server of this process got to a file of its own in the folder RECORD_SCORES_TO names.
import { hash } from "node:crypto"
import childProcess, { type SpawnOptions } from "node:child_process"
import { subscribe } from "node:diagnostics_channel"
import { appendFileSync } from "node:fs"
import { IncomingMessage, type ServerResponse } from "node:http"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { threadId } from "node:worker_threads"

/** A request as a server got it, and how it was answered. */
export interface GotRequest {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** In latin1, so that any byte can stand in it. */
  readonly body?: string
  readonly chunked?: boolean
  readonly status: number
  readonly atMs: number
}

const { RECORD_SCORES_TO: folder = "", NODE_OPTIONS = "", NODE_TEST_CONTEXT } = process.env
const SCORES = /^\/api\/v1\/(risk\/score|phone-risk)(?!\/batch)/

/** Of those that are written: some suites send one request thousands of times. */
const written = new Set<string>()

function write(got: Omit<GotRequest, "atMs">): void {
  const digest = hash("sha256", JSON.stringify(got))
  if (written.has(digest)) return
  written.add(digest)
  const file = join(folder, `${process.pid}-${threadId}.ndjson`)
  appendFileSync(file, `${JSON.stringify({ ...got, atMs: Date.now() })}\n`)
}

subscribe("http.server.request.start", (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
  if (!SCORES.test(request.url ?? "")) return
  const pieces: Buffer[] = []
  // Where the parser brings the body, since a listener would take it from the route.
  request.push = function (piece: Buffer | null, ...rest) {
    if (piece !== null) pieces.push(Buffer.from(piece))
    return IncomingMessage.prototype.push.call(this, piece, ...rest)
  }
  response.once("close", () => {
    // Not those whose sender hung up.
    if (!request.complete || !response.writableEnded) return
    const { method = "", url = "", headers } = request
    const chunked = headers["transfer-encoding"] !== undefined
    const hasBody = chunked || headers["content-length"] !== undefined
    write({
      method,
      target: url,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value = ""]) => [name, String(value)]),
      ),
      ...(hasBody && { body: Buffer.concat(pieces).toString("latin1") }),
      ...(chunked && { chunked }),
      status: response.statusCode,
    })
  })
})

interface Injected {
  readonly method?: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string | Buffer | object
}
type Inject = (request: Injected) => Promise<{ readonly statusCode: number }>

// Requests that a test hands to Fastify without a socket.
subscribe("fastify.initialization", (message) => {
  const { fastify } = message as { fastify: { inject: Inject } }
  const inject = fastify.inject.bind(fastify)
  fastify.inject = async (request) => {
    const answer = await inject(request)
    const { method = "GET", url, headers = {}, payload } = request
    if (!SCORES.test(url)) return answer
    const isObject = typeof payload === "object" && !Buffer.isBuffer(payload)
    const body = isObject ? JSON.stringify(payload) : payload
    write({
      method,
      target: url,
      headers: { ...(isObject && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: Buffer.from(body).toString("latin1") }),
      status: answer.statusCode,
    })
    return answer
  }
})

// A test gives the services it starts an environment of their own. Sealers, which a service starts,
// are left alone.
if (NODE_TEST_CONTEXT !== undefined) {
  const { spawn } = childProcess
  const recorded = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
    ...env,
    NODE_OPTIONS: `${env["NODE_OPTIONS"] ?? ""} ${NODE_OPTIONS}`,
    RECORD_SCORES_TO: folder,
  })
  const spawned = (command: string, args: readonly string[] = [], options: SpawnOptions = {}) =>
    spawn(command, args, { ...options, ...(options.env && { env: recorded(options.env) }) })
  childProcess.spawn = spawned as typeof spawn
  syncBuiltinESMExports()
}
