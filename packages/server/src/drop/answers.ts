import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import { DRAIN_MAX } from "./door.ts"
import { lengthOf } from "./request-bodies.ts"

/** What a request is answered with, beside the headers of every answer. */
export interface Answer {
  readonly status: number
  readonly type?: string
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

export function pageAnswer(status: number, page: string, headers = {}): Answer {
  return { status, type: "text/html; charset=utf-8", body: page, headers }
}

/** To a script: one word, or bytes. */
export function wordAnswer(status: number, word: string): Answer {
  return { status, type: "text/plain; charset=utf-8", body: word }
}

/** Sends an answer, and closes; what is still on its way is let pass first, since a closed connection would lose the answer. */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  everyAnswer: Readonly<Record<string, string>>,
  { waitsForUs }: { readonly waitsForUs: boolean },
): Promise<void> {
  if (!request.complete && !waitsForUs) await letPass(request)
  response.sendDate = false
  response.writeHead(answer.status, headersOf(answer, everyAnswer))
  response.end(request.method === "HEAD" ? undefined : answer.body)
}

/** The same as text, for a connection whose request was never read. */
export function writtenAnswer(
  answer: Answer & { readonly body: string },
  everyAnswer: Readonly<Record<string, string>>,
): string {
  const lines = Object.entries(headersOf(answer, everyAnswer)).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const first = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}`
  return `${[first, ...lines].join("\r\n")}\r\n\r\n${answer.body}`
}

function headersOf(
  { status, type, body = "", headers }: Answer,
  everyAnswer: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    ...everyAnswer,
    ...headers,
    ...(type !== undefined && { "Content-Type": type }),
    ...(status !== 204 && { "Content-Length": String(Buffer.byteLength(body)) }),
  }
}

async function letPass(request: IncomingMessage): Promise<void> {
  if ((lengthOf(request) ?? 0) > DRAIN_MAX) return
  let left = DRAIN_MAX
  await new Promise<void>((resolve) => {
    request.on("data", (piece: Buffer) => {
      left -= piece.length
      if (left < 0) resolve()
    })
    request.once("end", resolve)
    request.once("close", resolve)
  })
}
