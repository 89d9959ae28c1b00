import { solveChallenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/web/pbkdf2"
import type { Challenge, Payload } from "altcha-lib/types"
import {
  codeNumbers,
  codeWords,
  EnvelopeFault,
  fingerprint,
  inReplyOrder,
  mailboxFiles,
  newSecret,
  open,
  type OpenedMessage,
  readCode,
  readRecipients,
  threadKeys,
  unpackMessage,
  WITHDRAWABLE,
  withdrawToken,
} from "@assay/core/drop"
import { inspect } from "@assay/core/drop/metadata"
import { sealLetter } from "./seal-letter.ts"
import type { CallName, DropKeys, Reply, ThreadRequests, WorkerCalls } from "./worker-calls.ts"

/** Called with the share of a call that is done, 0 to 1. */
export type OnShare = (share: number) => void
export type Answers = {
  readonly [N in CallName]: (
    onShare: OnShare,
    ...args: Parameters<WorkerCalls[N]>
  ) => ReturnType<WorkerCalls[N]> | Promise<ReturnType<WorkerCalls[N]>>
}

/** The work of the worker. */
export const answers: Answers = {
  keys(_onShare, text, list) {
    const { dropId, recipients } = readRecipients(text)
    // Without its id no code of this drop could be made or read.
    if (dropId === null) throw new Error("the keys do not name their drop")
    return { dropId, ...recipients, fingerprint: fingerprint(recipients.keys, list) }
  },
  inspect: async (_onShare, file) => inspect(new Uint8Array(await file.arrayBuffer())),
  solve: (onShare, challenge) => solve(challenge, onShare),
  newSecret: () => newSecret(),
  seal: (onShare, letter, keys) => sealLetter(letter, keys, onShare),
  code: (_onShare, secret, list) => ({
    words: codeWords(secret, list),
    numbers: codeNumbers(secret),
  }),
  readCode: (_onShare, text, list) => readCode(text, [list]),
  requests: (_onShare, secret, keys) => threadRequests(secret, keys),
  openReplies: (_onShare, secret, keys, slots) => openReplies(secret, keys, slots),
}

/**
 * Tries every slot of a mailbox, and returns the replies in the order they were written. A slot
 * that our key does not open is filling. A slot that opens but is damaged or no reply becomes null
 * and comes last: it must not hide the others, and must not look empty.
 */
export async function openReplies(
  secret: Uint8Array,
  { dropId, suite }: DropKeys,
  slots: Uint8Array,
): Promise<(Reply | null)[]> {
  const { identity, pqIdentity } = await threadKeys(secret, dropId, suite)
  const identities = pqIdentity === undefined ? [identity] : [identity, pqIdentity]
  const replies: OpenedMessage[] = []
  const damaged: null[] = []
  for (const slot of mailboxFiles(slots)) {
    try {
      replies.push(unpackMessage(await open(slot, identities)))
    } catch (error) {
      if (!(error instanceof EnvelopeFault)) throw error
      if (error.code !== "identity") damaged.push(null)
    }
  }
  return [...inReplyOrder(replies).map(replyOf), ...damaged]
}

function replyOf({ message, files: [file] }: OpenedMessage): Reply {
  if (file === undefined) return { message, file: null }
  return { message, file: { name: file.name, bytes: new Uint8Array(file.bytes) } }
}

/** Tries one number after the other. The challenge gives the largest number and the time limit. */
async function solve(
  challenge: Challenge,
  onShare: (share: number) => void,
): Promise<Payload | null> {
  const { most, solve: solveMs } = challenge.parameters.data as { most: number; solve: number }
  let tries = 0
  const solution = await solveChallenge({
    challenge,
    // Somewhat less, because the page must request a ticket before the challenge ends.
    timeout: solveMs * 0.9,
    deriveKey(parameters, salt, password) {
      tries += 1
      onShare(tries / most)
      return deriveKey(parameters, salt, password)
    },
  })
  return solution === null ? null : { challenge, solution }
}

/**
 * What the server sees of a code when a person fetches or deletes replies or withdraws messages.
 * Never the code itself.
 */
async function threadRequests(
  secret: Uint8Array,
  { dropId, suite }: DropKeys,
): Promise<ThreadRequests> {
  const { mailbox, deleteToken } = await threadKeys(secret, dropId, suite)
  const tokens = Array.from({ length: WITHDRAWABLE }, (_, n) => withdrawToken(secret, dropId, n))
  return {
    mailbox,
    deletion: joined([mailbox, deleteToken]),
    withdrawal: joined(tokens),
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
