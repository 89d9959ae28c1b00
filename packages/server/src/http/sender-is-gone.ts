import type { IncomingMessage } from "node:http"

/**
 * Whether the sender hung up before all of its request was here. Nobody reads an answer then, and
 * nothing is wrong with us.
 */
export function senderIsGone(request: IncomingMessage): boolean {
  return request.destroyed && !request.complete
}
