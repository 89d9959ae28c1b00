import { request as httpRequest, type IncomingMessage } from "node:http"
import { finished, Readable } from "node:stream"
import { text } from "node:stream/consumers"
import type { RecipientRefusalCode } from "@assay/drop/recipient-refusal"
import { Problem } from "../base/problem.ts"

/**
 * Passes on what a recipient asks, and resolves with the drop's answer, unread. GET without a body,
 * POST with one. A refusal of the drop is a `Problem` with its code, and so is a drop that does not
 * answer.
 */
export type AskDrop = (path: string, body?: Readable | string) => Promise<IncomingMessage>

/** The drop stands still while its file is written anew; longer than this it is gone. */
const STILL_MS = 10 * 60_000

/** Asks the drop's process over its socket. The caller is authenticated by then. */
export function askDropAt(socketPath: string): AskDrop {
  return (path, body) =>
    new Promise((resolve, reject) => {
      const method = body === undefined ? "GET" : "POST"
      const asked = httpRequest({ socketPath, method, path, timeout: STILL_MS }, (answer) => {
        if (answer.statusCode === 200) resolve(answer)
        else void refusalOf(answer).then(refuse)
      })
      /** Lets the rest of the body pass: its sender may still send, and waits for the reason. */
      const refuse = (problem: Problem): void => {
        if (body instanceof Readable) body.unpipe(asked).resume()
        asked.destroy()
        reject(problem)
      }
      asked.on("error", (cause) => refuse(unavailable(cause)))
      asked.once("timeout", () => asked.destroy(new Error("The drop stands still")))
      if (!(body instanceof Readable)) {
        asked.end(body)
        return
      }
      // Not `pipeline`: it would destroy the request of a recipient whom the drop refuses.
      body.pipe(asked)
      // The sender hung up, before its last byte or before that was read here. The drop is well.
      finished(body, (error) => {
        if (error) refuse(new Problem("request-incomplete", "The sender hung up."))
      })
    })
}

async function refusalOf(answer: IncomingMessage): Promise<Problem> {
  try {
    const { code, detail } = JSON.parse(await text(answer)) as {
      code: RecipientRefusalCode
      detail: string
    }
    return new Problem(code, detail)
  } catch (cause) {
    return unavailable(cause)
  }
}

function unavailable(cause: unknown): Problem {
  return new Problem("drop-unavailable", "Send the same again later.", {
    cause,
    headers: { "retry-after": "10" },
  })
}
