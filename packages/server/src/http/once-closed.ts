import type { ServerResponse } from "node:http"

/** Calls `then` when the response closes, or at once if it has: the event is emitted only once. */
export function onceClosed(response: ServerResponse, then: () => void): void {
  if (response.destroyed) then()
  else response.once("close", then)
}
