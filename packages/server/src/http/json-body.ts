import { isUtf8 } from "node:buffer"
import type { FastifyRequest } from "fastify"
import type { App } from "../app.ts"
import { Problem } from "../problem.ts"

/**
 * Bodies are JSON in UTF-8 and nothing else. Bytes that are no UTF-8 are refused rather than patched with replacement
 * characters, which would score another address than the one sent. A member called `__proto__` is an ordinary unknown
 * member: parsed objects are never merged into others.
 */
export function readJsonBodies(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, readJson)
}

/** Reads a body of any media type that is JSON. */
export function readJson(
  { headers }: Pick<FastifyRequest, "headers">,
  body: Buffer,
  done: (error: Error | null, value?: unknown) => void,
): void {
  const compressed = refuseCompression(headers["content-encoding"])
  if (compressed !== null) {
    done(compressed)
  } else if (!isUtf8(body)) {
    done(new Problem("malformed-json", "The body is not valid UTF-8."))
  } else {
    parse(body, done)
  }
}

/** The refusal of a body with this encoding, or null. A body that unpacks itself would have no limit. */
export function refuseCompression(encoding: string | undefined): Problem | null {
  if (encoding === undefined || encoding === "identity") return null
  return new Problem("unsupported-media-type", "Send the body without compression.")
}

function parse(body: Buffer, done: (error: Error | null, value?: unknown) => void): void {
  let value: unknown
  try {
    value = JSON.parse(withoutByteOrderMark(body))
  } catch {
    // The parser's message quotes the body.
    const detail = body.length === 0 ? "The body is empty." : "The body is not valid JSON."
    done(new Problem("malformed-json", detail))
    return
  }
  done(null, value)
}

function withoutByteOrderMark(body: Buffer): string {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf
    ? body.toString("utf8", 3)
    : body.toString("utf8")
}
