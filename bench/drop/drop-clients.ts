import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { type IncomingMessage, request } from "node:http"
import { type Challenge, solveChallenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/pbkdf2"
import { BenchError } from "../bench.ts"

export interface Answer {
  readonly status: number
  readonly body: Buffer
}

/** One request on its own connection, as every request to a drop is. */
export async function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  parts: readonly Uint8Array[] | null = null,
): Promise<Answer> {
  const length = parts?.reduce((sum, part) => sum + part.length, 0)
  const sent = request({
    port,
    path,
    agent: false,
    method: parts === null ? "GET" : "POST",
    headers: { ...headers, ...(length === undefined ? {} : { "content-length": length }) },
  })
  const answered = once(sent, "response") as Promise<[IncomingMessage]>
  for (const part of parts ?? [])
    if (!sent.write(part)) await Promise.race([once(sent, "drain"), answered])
  sent.end()
  const [response] = await answered
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks) }
}

/** A ticket for one upload, for the work a browser does. */
export async function newTicket(port: number, size: number): Promise<string> {
  const challenge = JSON.parse(
    (await ask(port, `/drop/challenge?size=${size}`)).body.toString(),
  ) as Challenge
  const solution = await solveChallenge({ challenge, deriveKey })
  const answer = await ask(port, "/drop/ticket", { "content-type": "application/json" }, [
    Buffer.from(JSON.stringify({ challenge, solution })),
  ])
  if (answer.status !== 200) throw new BenchError(`a ticket was answered with ${answer.status}`)
  return answer.body.toString()
}

/** The token of a form as a visitor gets it. It works after fifteen seconds. */
export async function newForm(port: number): Promise<string> {
  const { body } = await ask(port, "/drop")
  const token = /name="token" value="([\w-]+)"/.exec(body.toString())?.[1]
  if (token === undefined) throw new BenchError("the form has no token")
  return token
}

/** True once the drop said that the message is stored. */
export async function sendSealed(
  port: number,
  ticket: string,
  sealed: Uint8Array,
): Promise<boolean> {
  const headers = {
    "content-type": "application/octet-stream",
    "drop-ticket": ticket,
    "drop-withdraw": randomBytes(32).toString("hex"),
  }
  return (await ask(port, "/drop/sealed", headers, pieces(sealed))).status === 201
}

/** True once the page with the answer came. */
export async function sendForm(
  port: number,
  token: string,
  files: readonly Uint8Array[],
): Promise<boolean> {
  const boundary = `form-${randomBytes(16).toString("hex")}`
  const part = (disposition: string, content: Uint8Array): Uint8Array[] => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
    ...pieces(content),
    Buffer.from("\r\n"),
  ]
  const fields = { message: "A message of the bench.", mode: "two-way", token }
  const parts = [
    ...Object.entries(fields).flatMap(([name, text]) => part(`name="${name}"`, Buffer.from(text))),
    ...files.flatMap((file) => part('name="files"; filename="a.bin"', file)),
    Buffer.from(`--${boundary}--\r\n`),
  ]
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` }
  return (await ask(port, "/drop/form", headers, parts)).status === 200
}

/** In pieces, so that a connection takes as much as it can at a time. */
function pieces(bytes: Uint8Array): Uint8Array[] {
  const step = 262_144
  return Array.from({ length: Math.ceil(bytes.length / step) }, (_, n) =>
    bytes.subarray(n * step, (n + 1) * step),
  )
}
