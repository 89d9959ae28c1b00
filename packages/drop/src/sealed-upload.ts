import { randomBytes } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { readAgeHeader } from "@assay/core/drop"
import { type Budgets, kindOf } from "./budgets.ts"
import type { PublicDrop } from "./public-drop.ts"
import { classOfSize, type Keys, type KeysInUse } from "./keys-in-use.ts"
import { Refused } from "./refused.ts"
import { lengthOf } from "./request-bodies.ts"
import type { Tickets } from "./tickets.ts"

/** Bytes that are handed to the store at a time. */
const PIECE_BYTES = 256 * 1024

export interface UploadServices {
  readonly drop: Pick<PublicDrop, "storePiece" | "finish" | "abandon">
  readonly keys: Keys
  readonly tickets: Tickets
  readonly budgets: Budgets
}

/**
 * Takes a message that was sealed where it was written. All that can be checked without a key is:
 * its size, which tells nothing but its class, and its header. Resolves when it is on the disk;
 * whatever else happens, nothing of it stays.
 */
export async function takeSealed(
  request: IncomingMessage,
  readBody: () => IncomingMessage,
  { drop, keys, tickets, budgets }: UploadServices,
): Promise<void> {
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
    for await (const piece of checkedPieces(readBody(), current)) {
      await drop.storePiece(id, index, piece)
      index += 1
      received += piece.length
    }
    if (received !== size) throw new Refused(400, "broken")
    await drop.finish({ id, size, withdrawVerifier: Buffer.from(verifier, "hex"), effort })
  } catch (error) {
    // What cannot be removed now goes when the store is next opened.
    await drop.abandon(id).catch(() => undefined)
    throw error
  }
}

/** The body in pieces of one size, the first of which begins with a header as it must be. */
export async function* checkedPieces(
  body: IncomingMessage,
  { recipients }: KeysInUse,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* inPieces(checked(body as AsyncIterable<Buffer>, recipients))
}

async function* checked(
  body: AsyncIterable<Buffer>,
  { suite, keys }: KeysInUse["recipients"],
): AsyncGenerator<Uint8Array, void, undefined> {
  let start: Buffer | null = Buffer.alloc(0)
  for await (const chunk of body) {
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

/** The same bytes in pieces as the store takes them, all but the last of one size. */
export async function* inPieces(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    held.push(chunk)
    length += chunk.length
    while (length >= PIECE_BYTES) {
      const joined = Buffer.concat(held)
      // A copy: what is sent to the store's thread takes all of its memory along, not only what it
      // shows.
      yield new Uint8Array(joined.subarray(0, PIECE_BYTES))
      held = [joined.subarray(PIECE_BYTES)]
      length -= PIECE_BYTES
    }
  }
  if (length > 0) yield new Uint8Array(Buffer.concat(held))
}

function headerOf({ headers }: IncomingMessage, name: string): string {
  const value = headers[name]
  return typeof value === "string" ? value : ""
}
