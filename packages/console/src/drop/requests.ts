import type { WordLanguage, WordList } from "@assay/core/drop"
import type { Challenge, Payload } from "altcha-lib/types"
import { Failure } from "./failure.ts"
import type { ScriptText } from "./script-texts.ts"
import type { SealedLetter } from "./worker-calls.ts"

/** Nothing of these requests is kept, and nothing of this browser is sent along. */
const OPTIONS: RequestInit = {
  credentials: "omit",
  cache: "no-store",
  referrerPolicy: "no-referrer",
  redirect: "error",
}

/** Refusals of the server, which says them in one word. */
const refusals: Readonly<Record<string, ScriptText>> = {
  ticket: "failure-ticket",
  "keys-changed": "failure-keys-changed",
  busy: "failure-busy",
  full: "failure-full",
}

/** Nobody can say whether the message was stored. */
const UNCERTAIN = "failure-uncertain"

function refusal(word: string, otherwise: ScriptText = "failure-refused"): Failure {
  return new Failure(refusals[word.trim()] ?? otherwise)
}

/** The answer to a request that succeeded; everything else is a Failure. */
async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, { ...OPTIONS, ...init })
  } catch {
    throw new Failure("failure-offline")
  }
  if (!response.ok) throw refusal(await response.text().catch(() => ""))
  return response
}

/** A body may break off after its headers have come. */
async function body<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch {
    throw new Failure("failure-offline")
  }
}

/** The recipients file. */
export async function fetchKeys(path: string): Promise<string> {
  const response = await ask(path)
  return await body(() => response.text())
}

/** `size`: of the sealed message, which the work is for. */
export async function fetchChallenge(effort: string, size: number): Promise<Challenge> {
  const response = await ask(`/drop/challenge?effort=${effort}&size=${size}`)
  return await body(() => response.json() as Promise<Challenge>)
}

/** Gives a solved challenge for a ticket, which lets one message in. */
export async function fetchTicket(solved: Payload): Promise<string> {
  const headers = { "content-type": "application/json" }
  const response = await ask("/drop/ticket", {
    method: "POST",
    headers,
    body: JSON.stringify(solved),
  })
  return (await body(() => response.text())).trim()
}

/** Sends what was sealed. Not by fetch, which cannot say how much has left. */
export function upload(
  { sealed, withdrawVerifier }: SealedLetter,
  ticket: string,
  onShare: (share: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open("POST", "/drop/sealed")
    request.setRequestHeader("Content-Type", "application/octet-stream")
    request.setRequestHeader("Drop-Ticket", ticket)
    request.setRequestHeader("Drop-Withdraw", withdrawVerifier)
    request.upload.addEventListener("progress", ({ loaded, total }) => onShare(loaded / total))
    request.addEventListener("load", () => {
      if (request.status === 201) resolve()
      else reject(refusal(request.responseText, request.status < 500 ? undefined : UNCERTAIN))
    })
    // Once all of it has left, it may be stored, whatever becomes of the answer.
    let lost: ScriptText = "failure-offline"
    request.upload.addEventListener("load", () => (lost = UNCERTAIN))
    for (const event of ["error", "abort", "timeout"])
      request.addEventListener(event, () => reject(new Failure(lost)))
    request.send(sealed)
  })
}

/** All slots of a mailbox, one after the other; it has the same size whatever it holds. */
export async function fetchMailbox(mailbox: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const response = await send("/drop/mailbox", mailbox)
  return new Uint8Array(await body(() => response.arrayBuffer()))
}

export async function deleteReplies(deletion: Uint8Array<ArrayBuffer>): Promise<void> {
  await send("/drop/delete", deletion)
}

export async function withdraw(withdrawal: Uint8Array<ArrayBuffer>): Promise<void> {
  await send("/drop/withdraw-tokens", withdrawal)
}

async function send(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<Response> {
  const headers = { "content-type": "application/octet-stream" }
  return await ask(path, { method: "POST", headers, body: bytes })
}

/** A word list, which must be the one this script was built with. */
export async function fetchWords(
  language: WordLanguage,
  { path, integrity }: { readonly path: string; readonly integrity: string },
): Promise<WordList> {
  const response = await ask(path, { integrity })
  const words = (await body(() => response.text())).trim().split("\n")
  return { language, words }
}
