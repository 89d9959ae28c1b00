import { randomBytes, randomInt } from "node:crypto"
import { type Challenge, createChallenge, verifySolution } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/pbkdf2"
import { SIZE_CLASSES } from "@assay/core/drop"
import { isPayload } from "./proof-payload.ts"
import { openSignatures, purposeKey, spentHash } from "./signatures.ts"
import type { Spent } from "./spent.ts"

const ALGORITHM = "PBKDF2/SHA-256"
const COST = 5_000
/** Keys a browser derives on average before it finds the one: at 1.7 ms each, about a second. */
const KEYS_TO_TRY = 600
/**
 * Beyond a message of text, each further block of this many bytes costs as much again: 32 MiB are
 * half a minute.
 */
const WORK_BYTES = 1024 * 1024
/** Time to find the key, on a slow phone too, which may take 7 ms for each. */
const SOLVE_MS = 20 * 60_000
const SLOW_KEY_MS = 7
/** Time from the ticket to the first byte of the upload; sealing takes up to a minute of it. */
const TICKET_MS = 10 * 60_000

const RANDOM_BYTES = 16
const TICKET_BYTES = RANDOM_BYTES + 6 + 1 + 1

/** What a ticket was worked for. */
export interface TicketWork {
  /** How often the sender doubled the work on purpose. */
  readonly effort: number
  /** The largest class of sizes it pays for, by its number in `SIZE_CLASSES`. */
  readonly sizeClass: number
}

/**
 * Work that must be done before a sealed message is taken. No address is looked at, and only spent
 * tickets are kept.
 */
export interface Tickets {
  challenge(work: TicketWork): Promise<Challenge>
  /** A ticket for a challenge that was solved, once; null for anything else. */
  ticketFor(payload: unknown): Promise<string | null>
  /** Whether it pays for a message of this class. */
  isGood(ticket: string, sizeClass: number): boolean
  /** The effort of a ticket that pays for this class, once; null for anything else. */
  spend(ticket: string, sizeClass: number): number | null
}

/**
 * Keys to try on average for a message of this class: the work grows with the bytes it is for, and
 * text stays cheap.
 */
export function keysToTry({ effort, sizeClass }: TicketWork, doublings = 0): number {
  const bytes = SIZE_CLASSES[sizeClass] ?? Infinity
  return Math.ceil(KEYS_TO_TRY * (1 + bytes / WORK_BYTES) * 2 ** (effort + doublings))
}

export function openTickets({
  secret,
  spent,
  doublings,
  now,
}: {
  readonly secret: Uint8Array
  readonly spent: Spent
  /** How often the work for a class is doubled for everybody, as its budget empties. */
  readonly doublings: (sizeClass: number) => number
  readonly now: () => number
}): Tickets {
  const signatures = openSignatures(secret, "ticket")
  const secrets = challengeSecrets(secret)
  /** Tokens spent before this are forgotten, so nothing older is accepted. */
  const openedAtMs = now()
  const read = (
    ticket: string,
    sizeClass: number,
  ): { body: Buffer; expiresAtMs: number; effort: number } | null => {
    const body = signatures.read(ticket)
    if (body?.length !== TICKET_BYTES) return null
    const expiresAtMs = body.readUIntBE(RANDOM_BYTES, 6)
    if (expiresAtMs < now() || expiresAtMs - TICKET_MS < openedAtMs) return null
    return body.readUInt8(TICKET_BYTES - 1) < sizeClass
      ? null
      : { body, expiresAtMs, effort: body.readUInt8(TICKET_BYTES - 2) }
  }
  return {
    async challenge(work) {
      const most = 2 * keysToTry(work, doublings(work.sizeClass))
      // As likely near the beginning as near the end: any other spread would show where to begin.
      const counter = randomInt(1, most)
      return await signedChallenge(secret, { ...work, counter, most, madeAtMs: now() })
    },
    async ticketFor(payload) {
      if (!isPayload(payload)) return null
      const { challenge, solution } = payload
      const { expiresAt = 0, data = {} } = challenge.parameters
      // The library reads the clock of the process and takes a challenge without an expiry for
      // good.
      if (!(expiresAt * 1000 > now() && Number(data["made"]) >= openedAtMs)) return null
      const { verified } = await verifySolution({ challenge, solution, deriveKey, ...secrets })
      if (!verified) return null
      const hash = spentHash(Buffer.from(challenge.signature ?? "", "hex"))
      if (!spent.spend(hash, expiresAt * 1000)) return null
      const work = { effort: Number(data["effort"]), sizeClass: Number(data["class"]) }
      return signedTicket(secret, now(), work)
    },
    isGood: (ticket, sizeClass) => read(ticket, sizeClass) !== null,
    spend(ticket, sizeClass) {
      const found = read(ticket, sizeClass)
      if (found === null) return null
      return spent.spend(spentHash(found.body), found.expiresAtMs) ? found.effort : null
    },
  }
}

function challengeSecrets(secret: Uint8Array): {
  hmacSignatureSecret: string
  hmacKeySignatureSecret: string
} {
  return {
    hmacSignatureSecret: purposeKey(secret, "challenge").toString("hex"),
    hmacKeySignatureSecret: purposeKey(secret, "challenge-key").toString("hex"),
  }
}

/** Work that ends at the key with this number, of at most `most`. */
export async function signedChallenge(
  secret: Uint8Array,
  {
    counter,
    most,
    effort,
    sizeClass,
    madeAtMs,
  }: TicketWork & { counter: number; most: number; madeAtMs: number },
): Promise<Challenge> {
  const solveMs = Math.max(SOLVE_MS, most * SLOW_KEY_MS)
  return await createChallenge({
    algorithm: ALGORITHM,
    cost: COST,
    deriveKey,
    counter,
    expiresAt: Math.floor((madeAtMs + solveMs) / 1000),
    // `most` is for the progress a sender sees. `solve` is how long they may try: a duration, since
    // their clock may be wrong.
    data: { effort, class: sizeClass, made: madeAtMs, most, solve: solveMs },
    ...challengeSecrets(secret),
  })
}

/** A ticket for somebody who has done the work. */
export function signedTicket(
  secret: Uint8Array,
  madeAtMs: number,
  { effort, sizeClass }: TicketWork,
): string {
  const body = Buffer.alloc(TICKET_BYTES)
  randomBytes(RANDOM_BYTES).copy(body)
  body.writeUIntBE(madeAtMs + TICKET_MS, RANDOM_BYTES, 6)
  body.writeUInt8(effort, TICKET_BYTES - 2)
  body.writeUInt8(sizeClass, TICKET_BYTES - 1)
  return openSignatures(secret, "ticket").sign(body)
}
