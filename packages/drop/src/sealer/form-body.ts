import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import busboy from "busboy"

/** What a form of the drop may hold. */
export interface FormLimits {
  /** The one field that takes files; a file in any other field is a fault. */
  readonly fileField: string
  readonly filesMax: number
  readonly fileMax: number
  /** How much of a body is read at most to reach its end. */
  readonly drainedMax: number
}

export interface FormFile {
  /**
   * Which of the form's fields for a file it came in, counted from 1: a browser sends a part for an
   * empty one too.
   */
  readonly number: number
  /** The name on the sender's machine; empty if there was none. */
  readonly name: string
  readonly bytes: Uint8Array
}

/**
 * The fault of a body as a whole. `not-a-form`: a type that no form is sent in; `broken`: declared
 * as a form, but malformed; `too-large`: beyond any honest form.
 */
export type BodyFault =
  | "not-a-form"
  | "broken"
  | "too-large"
  | "too-many-files"
  | "file-too-large"
  | Stopped

/**
 * Why no more of a body is waited for. `too-slow`: it did not come in time; `gave-way`: others
 * wait, and this one is slowest.
 */
export type Stopped = "too-slow" | "gave-way"

/**
 * A form as far as it could be read: with a fault it still holds the fields that came, so that
 * nobody has to write a text twice.
 */
export interface FormBody {
  readonly fields: ReadonlyMap<string, string>
  readonly files: readonly FormFile[]
  /** The first fault found; null: none. */
  readonly fault: BodyFault | null
  /** The number of the faulty file, counted from 1; null if the fault is about no file. */
  readonly faultyFile: number | null
  /**
   * The body was read to its end, so that an answer reaches a browser that shows none while it
   * still sends.
   */
  readonly drained: boolean
}

/**
 * More than the longest message, so that a message that is too long comes back whole in its field.
 */
const FIELD_MAX = 1024 * 1024
/** The largest form has twelve fields. */
const FIELDS_MAX = 24
const FIELD_NAME_MAX = 100
/** Content-Disposition and Content-Type, and a few that some programs add. */
const PART_HEADERS_MAX = 16
/** A fourth file and more, but not all that anybody cares to send. */
export const DRAINED_MAX = 64 * 1024 * 1024

/**
 * Reads a form in memory. For any input it resolves with a form and at most one fault, or with null
 * when the sender hung up in the middle. After a fault the rest of the body is read and discarded:
 * most browsers show no answer before they have sent everything.
 */
export async function readFormBody(
  request: IncomingMessage,
  limits: FormLimits,
  stopped: AbortSignal,
): Promise<FormBody | null> {
  const fields = new Map<string, string>()
  const files: FormFile[] = []
  let fault = null as BodyFault | null
  let faultyFile: number | null = null
  const failed = (found: BodyFault, file: number | null = null): void => {
    if (fault === null) faultyFile = file
    fault ??= found
    // A refused form keeps its text, never its files: a browser would not take them back.
    files.length = 0
  }

  const parser = openParser(request, limits)
  if (parser === null) failed("not-a-form")
  parser?.on("field", (name: string | undefined, value, { nameTruncated, valueTruncated }) => {
    // A field twice, or one without a name, is not what our forms send: which of two would be
    // meant?
    if (name === undefined || nameTruncated || valueTruncated || fields.has(name)) failed("broken")
    if (name !== undefined && !fields.has(name)) fields.set(name, value)
  })
  const coming: Promise<Arrived>[] = []
  parser?.on("file", (field: string | undefined, stream, { filename }) => {
    coming.push(collect(stream, limits.fileMax).then((bytes) => ({ field, filename, bytes })))
  })
  parser?.on("filesLimit", () => failed("too-many-files"))
  parser?.on("fieldsLimit", () => failed("broken"))
  parser?.on("partsLimit", () => failed("broken"))

  /** Whether all was read; null: the sender is gone. */
  const { promise, resolve } = Promise.withResolvers<boolean | null>()
  const stop = (): void => {
    failed(stopped.reason as Stopped)
    resolve(false)
  }
  const parsed = parser === null ? Promise.resolve() : endOf(parser, () => failed("broken"))
  let seen = 0
  request.on("data", (chunk: Buffer) => {
    seen += chunk.length
    if (seen > limits.drainedMax) {
      failed("too-large", coming.length === 0 ? null : coming.length)
      resolve(false)
      return
    }
    if (parser === null || !parser.writable || parser.write(chunk)) return
    request.pause()
    parser.once("drain", () => request.resume())
    // A failed parser emits no more "drain"; the rest of the body must still be read.
    parser.once("close", () => request.resume())
  })
  request.once("end", () => resolve(true))
  request.once("error", () => resolve(null))
  request.once("close", () => resolve(null))
  stopped.addEventListener("abort", stop, { once: true })
  if (stopped.aborted) stop()

  try {
    const drained = await promise
    if (drained === null) return null
    if (parser?.writable === true) {
      if (drained) parser.end()
      else parser.destroy()
    }
    await parsed
    for (const [at, { field, filename, bytes }] of (await Promise.all(coming)).entries()) {
      if (bytes === "too-large") failed("file-too-large", at + 1)
      else if (bytes === "broken") failed("broken")
      // Where nothing was chosen, browsers send a file without a name and without a byte.
      else if (bytes.length === 0 && filename === undefined) continue
      else if (field !== limits.fileField) failed("broken")
      else if (fault === null) files.push({ number: at + 1, name: filename ?? "", bytes })
    }
    return { fields, files, fault, faultyFile, drained }
  } finally {
    request.removeAllListeners("data")
    stopped.removeEventListener("abort", stop)
  }
}

type Parser = ReturnType<typeof busboy>

/** null where the body is of no type a form is sent in, or packed: nothing here unpacks. */
function openParser(request: IncomingMessage, limits: FormLimits): Parser | null {
  if (request.headers["content-encoding"] !== undefined) return null
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: "utf8",
      limits: {
        fieldNameSize: FIELD_NAME_MAX,
        fieldSize: FIELD_MAX,
        fields: FIELDS_MAX,
        files: limits.filesMax,
        // The parser cuts at its limit, not beyond it.
        fileSize: limits.fileMax + 1,
        parts: FIELDS_MAX + limits.filesMax,
        headerPairs: PART_HEADERS_MAX,
      },
    })
  } catch {
    return null
  }
}

/** Resolves when the parser is through with all it was given, or has given up. */
function endOf(parser: Parser, failed: () => void): Promise<void> {
  return new Promise((resolve) => {
    parser.on("error", failed)
    parser.once("close", resolve)
  })
}

type Collected = Uint8Array | "too-large" | "broken"

interface Arrived {
  readonly field: string | undefined
  readonly filename: string | undefined
  readonly bytes: Collected
}

async function collect(stream: Readable, max: number): Promise<Collected> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length <= max) chunks.push(chunk)
      else chunks.length = 0
    }
  } catch {
    return "broken"
  }
  return length > max ? "too-large" : Buffer.concat(chunks)
}
