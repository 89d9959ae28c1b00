import { request as httpRequest, type IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import type { DropBatchResult, DropKeys, DropResealResult } from "@assay/core/contract"
import { Problem } from "../base/problem.ts"
import type { RecipientRefusalCode } from "@assay/drop/recipient-refusal"

/** What recipients ask of the drop. */
export interface Inbox {
  /** An archive of all messages but those named, and of all notes. */
  sync(have: readonly string[]): Promise<Readable>
  batch(archive: Uint8Array): Promise<DropBatchResult>
  /** Gives a message another header; its body stays. */
  reseal(id: string, header: Uint8Array): Promise<DropResealResult>
  keys(): Promise<DropKeys>
  /** Gives the drop its first keys. */
  setFirstKeys(recipients: readonly string[]): Promise<DropKeys>
}

/** The drop stands still while its file is written anew; longer than this it is gone. */
const STILL_MS = 10 * 60_000

/**
 * The drop process, over its socket. Refusals keep their codes; a drop that does not answer is a
 * `Problem` too.
 */
export function remoteInbox(socketPath: string): Inbox {
  const ask = async (
    method: "GET" | "POST",
    path: string,
    body?: Uint8Array | string,
  ): Promise<IncomingMessage> => {
    const answer = await answerOf(socketPath, method, path, body)
    if (answer.statusCode === 200) return answer
    throw await refusalOf(answer)
  }
  const json = async <T>(...asked: Parameters<typeof ask>): Promise<T> => {
    const answer = await ask(...asked)
    try {
      return JSON.parse(await text(answer)) as T
    } catch (cause) {
      throw unavailable(cause)
    }
  }
  return {
    sync: (have) => ask("POST", "/sync", JSON.stringify({ have })),
    batch: (archive) => json("POST", "/batch", archive),
    reseal: (id, header) => json("POST", `/reseal/${id}`, header),
    keys: () => json("GET", "/keys"),
    setFirstKeys: (recipients) => json("POST", "/keys", JSON.stringify({ recipients })),
  }
}

function answerOf(
  socketPath: string,
  method: string,
  path: string,
  body: Uint8Array | string = "",
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { "content-length": Buffer.byteLength(body) }
    const asked = httpRequest({ socketPath, method, path, headers, timeout: STILL_MS }, resolve)
    asked.once("error", (cause) => reject(unavailable(cause)))
    asked.once("timeout", () => asked.destroy(new Error("The drop stands still")))
    asked.end(body)
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
