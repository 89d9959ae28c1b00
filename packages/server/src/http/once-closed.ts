import type { ServerResponse } from "node:http"

/**
 * Calls `then` when the response has closed, and at once where it has: the event is told only once.
 */
export function onceClosed(response: ServerResponse, then: () => void): void {
  if (response.destroyed) then()
  else response.once("close", then)
}
