import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import { lengthOf } from "./request-bodies.ts"

/**
 * Closing a connection while the sender still sends loses the answer, so this much is read first.
 */
export const DRAIN_MAX = 34 * 1024 * 1024

/** What a request is answered with, beside the headers of every answer. */
export interface Answer {
  readonly status: number
  readonly type?: string
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** With every refusal that passes: "try again in a few minutes". */
export const RETRY = { "Retry-After": "120" } as const

export function pageAnswer(
  status: number,
  page: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, type: "text/html; charset=utf-8", body: page, headers }
}

/** To a script: a line of plain text, mostly one word. */
export function wordAnswer(
  status: number,
  word: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, type: "text/plain; charset=utf-8", body: word, headers }
}

/**
 * Sends an answer and closes the connection. Before closing it reads the rest of the request, since
 * a connection closed too early loses the answer.
 */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  everyAnswer: Readonly<Record<string, string>>,
  { waitsForUs }: { readonly waitsForUs: boolean },
): Promise<void> {
  response.sendDate = false
  response.writeHead(answer.status, headersOf(answer, everyAnswer))
  if (request.method !== "HEAD" && answer.body !== undefined) response.write(answer.body)
  if (!request.complete && !waitsForUs) await letPass(request)
  response.end()
}

/** The same answer as text, for a connection whose request was never read. */
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
  if (request.destroyed || (lengthOf(request) ?? 0) > DRAIN_MAX) return
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
