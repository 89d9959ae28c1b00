import { isUtf8 } from "node:buffer"
import type { IncomingHttpHeaders } from "node:http"
import type { App } from "./app.ts"
import { Problem } from "../base/problem.ts"
import { DEPTH_MAX, JsonOutline, type OnSplit } from "./json-outline.ts"
import { openTimeSlices } from "./time-slices.ts"

/** The most members and items a body may have, where its route does not say otherwise. */
export const JSON_PARTS_MAX = 4096
/** How much of a body is looked at at once: a fraction of a millisecond's work. */
const LOOK_BYTES = 32 * 1024

/**
 * Bodies are JSON in UTF-8 and nothing else. Bytes that are no UTF-8 are refused rather than
 * patched with replacement characters, which would score another address than the one sent. A
 * member called `__proto__` is an ordinary unknown member: parsed objects are never merged into
 * others.
 */
export function readJsonBodies(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, readJson)
}

/** Reads a body of any media type that is JSON. */
export function readJson(
  request: {
    readonly headers: Pick<IncomingHttpHeaders, "content-encoding">
    readonly routeOptions: { readonly config: { readonly jsonPartsMax?: number } }
  },
  body: Buffer,
  done: (error: Error | null, value?: unknown) => void,
): void {
  const refused = refuseCompression(request.headers["content-encoding"]) ?? refuseOtherText(body)
  if (refused !== null) {
    done(refused)
    return
  }
  const finish = (outline: JsonOutline): void => {
    const outOfBounds =
      tooDeep(outline) ?? tooManyParts(outline, () => request.routeOptions.config.jsonPartsMax)
    if (outOfBounds !== null) done(outOfBounds)
    else parse(body, done)
  }
  if (body.length > LOOK_BYTES) {
    outlineInSlices(body).then(finish, done)
    return
  }
  const outline = new JsonOutline()
  outline.push(body)
  finish(outline)
}

/**
 * The refusal of a body with this encoding, or null. A body that unpacks itself would have no
 * limit.
 */
export function refuseCompression(encoding: string | undefined): Problem | null {
  if (encoding === undefined || encoding === "identity") return null
  return new Problem("unsupported-media-type", "Send the body without compression.")
}

export function refuseOtherText(body: Buffer): Problem | null {
  return isUtf8(body) ? null : new Problem("malformed-json", "The body is not valid UTF-8.")
}

export function malformed(body: Buffer): Problem {
  const detail = body.length === 0 ? "The body is empty." : "The body is not valid JSON."
  return new Problem("malformed-json", detail)
}

/** Follows a large body while other requests get their turns. */
export async function outlineInSlices(body: Buffer, onSplit?: OnSplit): Promise<JsonOutline> {
  const outline = new JsonOutline(onSplit)
  const slices = openTimeSlices()
  for (let from = 0; from < body.length; from += LOOK_BYTES) {
    outline.push(body.subarray(from, from + LOOK_BYTES))
    if (slices.isOver()) await slices.next()
  }
  return outline
}

export function tooDeep({ deepest }: JsonOutline): Problem | null {
  return deepest <= DEPTH_MAX ? null : outOfBounds(`must not be nested more than ${DEPTH_MAX} deep`)
}

function tooManyParts({ parts }: JsonOutline, routeMax: () => number | undefined): Problem | null {
  if (parts <= JSON_PARTS_MAX) return null
  const max = routeMax() ?? JSON_PARTS_MAX
  return parts <= max ? null : outOfBounds(`must not have more than ${max} members and items`)
}

function outOfBounds(detail: string): Problem {
  return new Problem("invalid-request", "The body is out of bounds.", {
    errors: [{ pointer: "#", detail }],
  })
}

function parse(body: Buffer, done: (error: Error | null, value?: unknown) => void): void {
  let value: unknown
  try {
    value = JSON.parse(withoutByteOrderMark(body).toString("utf8"))
  } catch {
    // The parser's message quotes the body.
    done(malformed(body))
    return
  }
  done(null, value)
}

export function withoutByteOrderMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
}
