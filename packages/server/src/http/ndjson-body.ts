import type { App } from "./app.ts"
import { refuseCompression } from "./json-body.ts"

export const NDJSON = "application/x-ndjson"

/** Hands the request itself to the routes of `app`, unread, as the body. */
export function readNdjsonBodies(app: App): void {
  app.addContentTypeParser(NDJSON, (request, payload, done) => {
    done(refuseCompression(request.headers["content-encoding"]), payload)
  })
}
