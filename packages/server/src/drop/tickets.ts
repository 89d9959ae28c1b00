import { randomBytes, randomInt } from "node:crypto"
import { type Challenge, createChallenge, type Payload, verifySolution } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/pbkdf2"
import type { Drops } from "../stores/drops.ts"
import { HOUR_MS } from "../time.ts"
import { openSignatures, purposeKey, spentHash } from "./signatures.ts"

const ALGORITHM = "PBKDF2/SHA-256"
const COST = 5_000
/** Keys a browser derives on average before it finds the one: at 1.7 ms each, about a second. */
const KEYS_TO_TRY = 600
/** Time to find the key, on a slow phone too. */
const SOLVE_MS = 20 * 60_000
/** Time from the ticket to the first byte of the upload; sealing takes up to a minute of it. */
const TICKET_MS = 10 * 60_000

const RANDOM_BYTES = 16
const TICKET_BYTES = RANDOM_BYTES + 6 + 1

/** Work that must be done before a sealed message is taken. No address is looked at, and nothing is kept but what is spent. */
export interface Tickets {
  challenge(effort: number): Promise<Challenge>
  /** A ticket for a challenge that was solved, once; null for anything else. */
  ticketFor(payload: unknown): Promise<string | null>
  isGood(ticket: string): boolean
  /** The effort of a good ticket, once; null for anything else. */
  spend(ticket: string): Promise<number | null>
}

export function openTickets({
  secret,
  drops,
  doublings,
  now,
}: {
  readonly secret: Uint8Array
  readonly drops: Pick<Drops, "spend">
  /** How often the work is doubled for everybody, as the hour's budget empties. */
  readonly doublings: () => number
  readonly now: () => number
}): Tickets {
  const signatures = openSignatures(secret, "ticket")
  const secrets = challengeSecrets(secret)
  const read = (ticket: string): { body: Buffer; expiresAtMs: number; effort: number } | null => {
    const body = signatures.read(ticket)
    if (body?.length !== TICKET_BYTES) return null
    const expiresAtMs = body.readUIntBE(RANDOM_BYTES, 6)
    return expiresAtMs < now()
      ? null
      : { body, expiresAtMs, effort: body.readUInt8(TICKET_BYTES - 1) }
  }
  return {
    async challenge(effort) {
      const most = 2 * KEYS_TO_TRY * 2 ** (effort + doublings())
      // As likely near the beginning as near the end: any other spread tells where to begin.
      const counter = randomInt(1, most)
      return await signedChallenge(secret, { counter, most, effort, expiresAtMs: now() + SOLVE_MS })
    },
    async ticketFor(payload) {
      if (!isPayload(payload)) return null
      const { challenge, solution } = payload
      const { expiresAt = 0, data } = challenge.parameters
      // The library reads the clock of the process and takes a challenge without an expiry for good.
      if (!(expiresAt * 1000 > now())) return null
      const { verified } = await verifySolution({ challenge, solution, deriveKey, ...secrets })
      if (!verified) return null
      const spent = spentHash(Buffer.from(challenge.signature ?? "", "hex"))
      if (!(await drops.spend(spent, Math.ceil((expiresAt * 1000) / HOUR_MS)))) return null
      return signedTicket(secret, now() + TICKET_MS, Number(data?.["effort"] ?? 0))
    },
    isGood: (ticket) => read(ticket) !== null,
    async spend(ticket) {
      const found = read(ticket)
      if (found === null) return null
      const lastHour = Math.ceil(found.expiresAtMs / HOUR_MS)
      return (await drops.spend(spentHash(found.body), lastHour)) ? found.effort : null
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

/** Work that ends at the key of this number, of at most so many. */
export async function signedChallenge(
  secret: Uint8Array,
  {
    counter,
    most,
    effort,
    expiresAtMs,
  }: { counter: number; most: number; effort: number; expiresAtMs: number },
): Promise<Challenge> {
  return await createChallenge({
    algorithm: ALGORITHM,
    cost: COST,
    deriveKey,
    counter,
    expiresAt: Math.floor(expiresAtMs / 1000),
    // `most` is for the progress a sender sees.
    data: { effort, most },
    ...challengeSecrets(secret),
  })
}

/** A ticket for somebody who has done the work. */
export function signedTicket(secret: Uint8Array, expiresAtMs: number, effort: number): string {
  const body = Buffer.alloc(TICKET_BYTES)
  randomBytes(RANDOM_BYTES).copy(body)
  body.writeUIntBE(expiresAtMs, RANDOM_BYTES, 6)
  body.writeUInt8(effort, TICKET_BYTES - 1)
  return openSignatures(secret, "ticket").sign(body)
}

/** The shape the library counts on. It checks what the members hold, by the signature over all of them. */
function isPayload(value: unknown): value is Payload {
  const { challenge, solution } = asObject(value)
  const { parameters, signature } = asObject(challenge)
  const { expiresAt } = asObject(parameters)
  const { counter, derivedKey } = asObject(solution)
  return (
    typeof signature === "string" &&
    /^[0-9a-f]{64}$/.test(signature) &&
    Number.isSafeInteger(expiresAt) &&
    Number.isSafeInteger(counter) &&
    typeof derivedKey === "string"
  )
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
}
