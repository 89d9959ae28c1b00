import type { IncomingMessage } from "node:http"
import type { Locale } from "./pages/page-input.ts"

/** One request, as a route sees it. */
export interface Visit {
  readonly locale: Locale
  /** The rest of the path, for a route with many: the name of a file. */
  readonly rest: string
  readonly query: URLSearchParams
  readonly byOnion: boolean
  readonly request: IncomingMessage
  /**
   * The request with its body, which is not sent before this is called where the sender waits for a
   * sign.
   */
  readBody(): IncomingMessage
}
