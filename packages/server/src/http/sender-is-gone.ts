import type { IncomingMessage } from "node:http"

/**
 * Whether the sender hung up before its request was complete. Nobody reads an answer then, and the
 * fault is not ours.
 */
export function senderIsGone(request: IncomingMessage): boolean {
  return request.destroyed && !request.complete
}
