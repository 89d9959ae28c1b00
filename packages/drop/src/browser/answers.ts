import {
  codeNumbers,
  codeWords,
  fingerprint,
  newSecret,
  readCode,
  readRecipients,
} from "@assay/core/drop"
import { inspect } from "@assay/core/drop/metadata"
import { openReplies } from "./open-replies.ts"
import { sealLetter } from "./seal-letter.ts"
import { solve } from "./solve.ts"
import { threadRequests } from "./thread-requests.ts"
import type { CallName, WorkerCalls } from "./worker-calls.ts"

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
