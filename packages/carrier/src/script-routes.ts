import { Value } from "typebox/value"
import { CarrierError, invalidArgument, notFound } from "./carrier-error.ts"
import type { Lines } from "./lines.ts"
import { PhoneNumber } from "./operation.ts"
import { jsonReply, type Reply, replyOf } from "./reply.ts"
import type { TrialRequest } from "./trial-request.ts"

const SCRIPTS = "/trial/"

export function isScriptRequest({ path }: TrialRequest): boolean {
  return path.startsWith(SCRIPTS)
}

/**
 * Scripts over HTTP: PUT replaces one and GET shows it, at `/trial/numbers/NUMBER`,
 * `/trial/numbers` (for every number without its own script) and `/trial/token`.
 */
export function scriptReply(lines: Lines, request: TrialRequest): Reply {
  return replyOf(() => {
    const target = targetOf(lines, request.path)
    if (request.method === "GET") return jsonReply(200, target.show())
    if (request.method !== "PUT")
      throw new CarrierError(405, "METHOD_NOT_ALLOWED", "Scripts take GET and PUT")
    try {
      target.replace(JSON.parse(request.body))
    } catch (error) {
      if (error instanceof SyntaxError) throw invalidArgument("The script is not JSON")
      throw error
    }
    return jsonReply(200, target.show())
  })
}

interface Target {
  show(): object
  replace(document: unknown): void
}

function targetOf(lines: Lines, path: string): Target {
  if (path === `${SCRIPTS}token`) return { show: () => lines.token, replace: lines.scriptToken }
  if (path === `${SCRIPTS}numbers`) return { show: () => lines.all, replace: lines.scriptAll }
  const number = path.startsWith(`${SCRIPTS}numbers/`)
    ? path.slice(`${SCRIPTS}numbers/`.length).replace(/^%2B/i, "+")
    : ""
  if (!Value.Check(PhoneNumber, number))
    throw notFound("Scripts are at /trial/numbers/NUMBER, /trial/numbers and /trial/token")
  return {
    show: () => lines.scriptOf(number),
    replace: (document) => lines.script(number, document),
  }
}
