import { randomBytes } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { readAgeHeader } from "@assay/core/drop"
import type { Answer } from "./answers.ts"
import { type Budgets, kindOf } from "./budgets.ts"
import { inPieces } from "./pieces.ts"
import type { PublicDrop } from "./public-drop.ts"
import { classOfSize, type Keys, type KeysInUse } from "./keys-in-use.ts"
import { Refused } from "./refused.ts"
import { lengthOf } from "./request-bodies.ts"
import type { Tickets } from "./tickets.ts"
import type { Visit } from "./visit.ts"

export interface UploadServices {
  readonly drop: Pick<PublicDrop, "storePiece" | "finish" | "abandon">
  readonly keys: Keys
  readonly tickets: Tickets
  readonly budgets: Budgets
}

/**
 * Takes a message that was sealed where it was written. Checks everything that needs no key: its
 * size, which reveals nothing but its class, and its header. Resolves when it is on the disk; in
 * any other case nothing of it stays.
 */
export function sealedUploads(services: UploadServices): (visit: Visit) => Promise<Answer> {
  return (visit) => takeSealed(visit, services)
}

async function takeSealed(
  { request, readBody }: Visit,
  { drop, keys, tickets, budgets }: UploadServices,
): Promise<Answer> {
  const current = keys.current()
  if (current === null) throw new Refused(503, "keys-changed")
  const size = lengthOf(request)
  if (size === null) throw new Refused(411, "size")
  const sizeClass = classOfSize(current, size)
  if (sizeClass === null) throw new Refused(413, "size")
  const verifier = /^[0-9a-f]{64}$/.exec(headerOf(request, "drop-withdraw"))?.[0]
  if (verifier === undefined) throw new Refused(400, "header")
  const ticket = headerOf(request, "drop-ticket")
  if (!tickets.isGood(ticket, sizeClass)) throw new Refused(403, "ticket")
  const kind = kindOf(sizeClass)
  const refusal = await budgets.sealedRefusal(kind, size)
  if (refusal !== null) throw new Refused(503, refusal)
  const effort = tickets.spend(ticket, sizeClass)
  if (effort === null) throw new Refused(403, "ticket")
  // Only now: a ticket that is shown again and again must not use up what others may send.
  budgets.countSealed(kind, size)

  const id = randomBytes(16).toString("hex")
  try {
    let index = 0
    let received = 0
    for await (const piece of inPieces(checked(readBody(), current))) {
      await drop.storePiece(id, index, piece)
      index += 1
      received += piece.length
    }
    if (received !== size) throw new Refused(400, "broken")
    await drop.finish({ id, size, withdrawVerifier: Buffer.from(verifier, "hex"), effort })
    return { status: 201 }
  } catch (error) {
    // Pieces that cannot be removed now go when the store is next opened.
    await drop.abandon(id).catch(() => undefined)
    throw error
  }
}

/** The same bytes, once they have begun with a header as it must be. */
async function* checked(
  body: IncomingMessage,
  { recipients: { suite, keys } }: KeysInUse,
): AsyncGenerator<Uint8Array, void, undefined> {
  let start: Buffer | null = Buffer.alloc(0)
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (start === null) {
      yield chunk
      continue
    }
    start = Buffer.concat([start, chunk])
    const header = readAgeHeader(start)
    if (header === "incomplete") continue
    if ("fault" in header) throw new Refused(400, "header")
    if (header.suite !== suite || header.stanzas !== keys.length)
      throw new Refused(409, "keys-changed")
    yield start
    start = null
  }
  if (start !== null) throw new Refused(400, "header")
}

function headerOf({ headers }: IncomingMessage, name: string): string {
  const value = headers[name]
  return typeof value === "string" ? value : ""
}
