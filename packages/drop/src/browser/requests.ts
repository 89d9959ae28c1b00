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

/**
 * After ten minutes without progress the page reports a failure. The server gives up a line that
 * moves less than 1 kB a second, and no answer is longer than a mailbox's 300 kB: within this time
 * each answer is complete, on the slowest line that the server keeps.
 */
const DEAD_MS = 600_000

/** Refusals of the server, which sends each as one word. */
const refusals: Readonly<Record<string, ScriptText>> = {
  ticket: "failure-ticket",
  "keys-changed": "failure-keys-changed",
  busy: "failure-busy",
  full: "failure-full",
}

/** Whether the message was stored is unknown. */
const UNCERTAIN = "failure-uncertain"

function refusal(word: string, otherwise: ScriptText = "failure-refused"): Failure {
  return new Failure(refusals[word.trim()] ?? otherwise)
}

/** Also for a body that breaks off after its headers have come. */
function offline(): never {
  throw new Failure("failure-offline")
}

/** The answer to a request that succeeded; everything else is a Failure. */
async function ask(path: string, init?: RequestInit): Promise<Response> {
  const signal = AbortSignal.timeout(DEAD_MS)
  const response = await fetch(path, { ...OPTIONS, ...init, signal }).catch(offline)
  if (!response.ok) throw refusal(await response.text().catch(() => ""))
  return response
}

/** The recipients file. */
export async function fetchKeys(path: string): Promise<string> {
  const response = await ask(path)
  return await response.text().catch(offline)
}

/** `size`: of the sealed message, which the work is for. */
export async function fetchChallenge(effort: string, size: number): Promise<Challenge> {
  const response = await ask(`/drop/challenge?effort=${effort}&size=${size}`)
  return await (response.json() as Promise<Challenge>).catch(offline)
}

/** Gives a solved challenge for a ticket, which lets one message in. */
export async function fetchTicket(solved: Payload): Promise<string> {
  const headers = { "content-type": "application/json" }
  const response = await ask("/drop/ticket", {
    method: "POST",
    headers,
    body: JSON.stringify(solved),
  })
  return (await response.text().catch(offline)).trim()
}

/** Sends the sealed message. Not by fetch, which cannot report how much has left. */
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
    // An upload may take as long as it moves. This limit counts from the sending, so it is moved on
    // with each progress.
    const begunAt = performance.now()
    request.timeout = DEAD_MS
    request.upload.addEventListener("progress", ({ loaded, total, timeStamp }) => {
      request.timeout = timeStamp - begunAt + DEAD_MS
      onShare(loaded / total)
    })
    // Once everything has left, the message may be stored, even if the answer is lost.
    let lost: ScriptText = "failure-offline"
    request.upload.addEventListener("load", () => (lost = UNCERTAIN))
    request.addEventListener("loadend", () => {
      const { status, responseText } = request
      if (status === 201) resolve()
      // 0: there was no answer.
      else if (status === 0) reject(new Failure(lost))
      else reject(refusal(responseText, status < 500 ? undefined : UNCERTAIN))
    })
    request.send(sealed)
  })
}

/** All slots of a mailbox, one after the other; the size is the same whatever it holds. */
export async function fetchMailbox(mailbox: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const response = await send("/drop/mailbox", mailbox)
  return new Uint8Array(await response.arrayBuffer().catch(offline))
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
  const words = (await response.text().catch(offline)).trim().split("\n")
  return { language, words }
}
