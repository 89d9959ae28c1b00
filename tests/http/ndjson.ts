// A stream of lines to the service and back, under full control of both directions.
import { once } from "node:events"
import { type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http"
import { createInterface } from "node:readline"
import type { Service } from "./service.ts"

export interface Answer {
  readonly index?: number
  readonly result?: Readonly<Record<string, unknown>>
  readonly problem?: { readonly code: string; readonly errors?: readonly object[] }
}

export interface Stream {
  readonly request: ClientRequest
  /** Sends text or bytes as they are and resolves when they have been handed over. */
  send(piece: string | Uint8Array): Promise<void>
  end(): void
  /** The response, when its head has arrived. */
  readonly response: Promise<IncomingMessage>
  /** The next line; null at the end of a whole response. Rejects if the response breaks off. */
  next(): Promise<Answer | null>
  /** All lines up to the end. */
  rest(): Promise<Answer[]>
}

interface StreamSettings {
  readonly path?: string
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

export function openStream(
  { port, key: demoKey }: Pick<Service, "port" | "key">,
  { path = "/api/v1/risk/score/batch", key = demoKey, headers = {} }: StreamSettings = {},
): Stream {
  const request = httpRequest({
    port,
    host: "127.0.0.1",
    path,
    method: "POST",
    agent: false,
    headers: {
      "content-type": "application/x-ndjson",
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...headers,
    },
  })
  // A response that came before is read to its end; the fate of the request adds nothing.
  request.on("error", () => undefined)
  request.flushHeaders()
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", resolve)
    request.once("error", reject)
  })
  // A test that ends before the response does waits for it no more.
  response.catch(() => undefined)
  // After its response a request that is cut off emits only `close`: waiting for `drain` alone
  // would never end.
  const closed = once(request, "close").then(() => {
    throw new Error("The connection ended while something was sent")
  })
  closed.catch(() => undefined)
  let lines: AsyncIterator<string> | null = null
  let whole = Promise.resolve()
  const next = async (): Promise<Answer | null> => {
    if (lines === null) {
      const body = await response
      whole = once(body, "close").then(() => {
        if (!body.complete) throw new Error("The response broke off")
      })
      whole.catch(() => undefined)
      lines = createInterface({ input: body })[Symbol.asyncIterator]()
    }
    const line = await lines.next()
    if (line.done !== true) return JSON.parse(line.value) as Answer
    await whole
    return null
  }
  return {
    request,
    response,
    async send(piece) {
      if (!request.write(piece)) await Promise.race([once(request, "drain"), closed])
    },
    end: () => void request.end(),
    next,
    async rest() {
      const answers: Answer[] = []
      for (let answer = await next(); answer !== null; answer = await next()) answers.push(answer)
      return answers
    },
  }
}
